/**
 * Tests that a list shows its rows after its own response, without waiting for other responses, and cached rows without any response
 * (decision 85).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { nightly } from '#tests/support/runner/nightly.ts'
import { desktop, openFreshPage, getRows, setUpShared } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()

/** Delays all requests of the page until the test ends, except requests of this path. */
async function holdAllBut(page: Page, path: RegExp | null): Promise<void> {
  const release = Promise.withResolvers<void>()
  setup.cleanups.push(async () => release.resolve())
  await page.route('**/api/**', async (route) => {
    const { pathname } = new URL(route.request().url())
    if (!path?.test(pathname)) await release.promise
    await route.continue().catch(() => undefined)
  })
}

const lists = [
  ['contracts', 'admin', '/app/contract', /\/sorder$/],
  ['users', 'admin', '/app/user', /\/users$/],
  ['modules', 'staff', '/app/m18/module', /^\/api\/module$/],
  ['price lists', 'staff', '/app/m18/price', /^\/api\/pricelist$/],
  ['the audit trail', 'staff', '/app/systrail', /^\/api\/audit\b|trail/],
] as const

for (const [name, person, path, own] of lists) {
  const run = name === 'contracts' ? it : nightly
  run(
    `fault 8a draws the rows of ${name} while every other response is held back, and stored ones at once`,
    async () => {
      const page = await openFreshPage(setup, person, '/app/outbox', { ...desktop, serviceWorkers: 'block' })
      await holdAllBut(page, own)
      await page.goto(`${setup.fixture.portal.url}/saas${path}`)
      await getRows(page).first().waitFor()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await holdAllBut(page, null)
      await page.reload()
      await getRows(page).first().waitFor()
      expect(await getRows(page).count()).toBeGreaterThan(0)
    },
  )
}

it("The login page loads the target page's code before the login is sent (fault 8b)", async () => {
  const context = await setup.fixture.browser.newContext({ ...desktop, serviceWorkers: 'block' })
  setup.cleanups.push(() => context.close())
  const page = await context.newPage()
  const code = page.waitForResponse((response) => /\/assets\/orders-/.test(response.url()))
  await page.goto(`${setup.fixture.portal.url}/saas/login?to=%2Fapp%2Fcontract`)
  await code
})

/** Returns the chunk of the contract list and all files it imports. */
function listContractFiles(): string[] {
  const dist = process.env.CLIENT_DIR ?? join(import.meta.dirname, '..', '..', 'dist')
  const buildFiles: Record<string, { file: string; imports?: string[] }> = JSON.parse(
    readFileSync(join(dist, 'build-map.json'), 'utf8'),
  )
  const keys = new Set(
    Object.keys(buildFiles)
      .filter((key) => /^_orders-list-[\w-]{8}\.js$/.test(key))
      .slice(-1),
  )
  for (const key of keys) for (const needed of buildFiles[key]?.imports ?? []) keys.add(needed)
  return [...keys].map((key) => buildFiles[key]?.file ?? key).filter((file) => file.endsWith('.js'))
}

it('All files of the contract list are requested before the first one arrives (fault 8c)', async () => {
  const page = await openFreshPage(setup, 'admin', '/app/outbox', { ...desktop, serviceWorkers: 'block' })
  const release = Promise.withResolvers<void>()
  setup.cleanups.push(async () => release.resolve())
  const requested = new Set<string>()
  await page.route('**/assets/*.js', async (route) => {
    const file = new URL(route.request().url()).pathname.slice('/saas/'.length)
    requested.add(file)
    if (!/\/(index|first|rolldown-runtime)-/.test(file)) await release.promise
    await route.continue().catch(() => undefined)
  })
  await page.goto(`${setup.fixture.portal.url}/saas/app/contract`, { waitUntil: 'commit' })
  await expect.poll(() => [...requested]).toEqual(expect.arrayContaining(listContractFiles()))
})
