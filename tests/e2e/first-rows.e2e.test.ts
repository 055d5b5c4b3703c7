/** The rows of a list wait for their own response alone, and those on the device for none (decision 85). */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { nightly } from '#tests/support/nightly.ts'
import { desk, freshPage, rows, setUpShared } from '#tests/support/visit.ts'

const setup = setUpShared()

/** Requests of the page are held back until the test ends, all but those of this path. */
async function holdAllBut(page: Page, path: RegExp | null): Promise<void> {
  const free = Promise.withResolvers<void>()
  setup.ends.push(() => free.resolve())
  await page.route('**/api/**', async (route) => {
    const { pathname } = new URL(route.request().url())
    if (!path?.test(pathname)) await free.promise
    await route.continue().catch(() => undefined)
  })
}

const lists = [
  ['contracts', 'admin', '/app/contract', /\/sorder$/],
  ['users', 'admin', '/app/user', /\/users$/],
  ['modules', 'staff', '/app/m18/module', /^\/api\/module$/],
  ['price lists', 'staff', '/app/m18/price', /^\/api\/price\b/],
  ['the audit trail', 'staff', '/app/systrail', /^\/api\/audit\b|trail/],
] as const

for (const [name, who, path, own] of lists) {
  const run = name === 'contracts' ? it : nightly
  run(
    `fault 8a draws the rows of ${name} while every other response is held back, and stored ones at once`,
    async () => {
      const page = await freshPage(setup, who, '/app/outbox', { ...desk, serviceWorkers: 'block' })
      await holdAllBut(page, own)
      await page.goto(`${setup.the.portal.url}/saas${path}`)
      await rows(page).first().waitFor()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await holdAllBut(page, null)
      await page.reload()
      await rows(page).first().waitFor()
      expect(await rows(page).count()).toBeGreaterThan(0)
    },
  )
}

it('fault 8b has the code of the page beside the form before the login is sent', async () => {
  const context = await setup.the.browser.newContext({ ...desk, serviceWorkers: 'block' })
  setup.ends.push(() => context.close())
  const page = await context.newPage()
  const code = page.waitForResponse((response) => /\/assets\/orders-list-/.test(response.url()))
  await page.goto(`${setup.the.portal.url}/saas/login?to=%2Fapp%2Fcontract`)
  await code
})
