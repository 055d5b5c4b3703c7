/** Two tabs without a worker, so that each page sends by itself, and one of them is frozen by the browser while it holds a lock. */
import type { Page, Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { signIn, type Who } from '#tests/support/browser.ts'
import { desk, listed, ownCompany, setUpShared } from '#tests/support/visit.ts'

const { the, ends } = setUpShared()
/** After which others go on without it, ms. */
const withinMs = 6_000

async function openTwo(who: Who): Promise<[Page, Page]> {
  const context = await the.browser.newContext({ ...desk, serviceWorkers: 'block' })
  ends.push(() => context.close())
  const [first, second] = [await context.newPage(), await context.newPage()]
  await signIn(first, the.portal, who, '/app/user')
  await listed(first)
  await second.goto(first.url())
  await listed(second)
  return [first, second]
}

/** Requests of this page that match never come back; resolves when one is on its way. */
async function hang(page: Page, isMeant: (route: Route) => boolean): Promise<void> {
  let onHung = () => {}
  const isHung = new Promise<void>((resolve) => (onHung = resolve))
  await page.route('**/*', (route) => (isMeant(route) ? onHung() : route.fallback()))
  await isHung
}

async function setLifecycle(page: Page, state: 'frozen' | 'active'): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setWebLifecycleState', { state })
  await session.detach()
}

async function rename(page: Page, at: number, name: string): Promise<void> {
  await page.locator('.lead a').nth(at).click()
  const drawer = page.getByRole('dialog')
  await drawer.locator('input[name="name"]').fill(name)
  await drawer.locator('button[type="submit"]').click()
}

const locks = (page: Page) => page.evaluate(async () => (await navigator.locks.query()).held?.map(({ name }) => name))

it('fault 41e a tab that is frozen while it sends keeps no other one from sending, and its own write is not lost', async () => {
  const [frozen, page] = await openTwo(ownCompany().admin)
  const sending = hang(frozen, (route) => route.request().method() === 'PUT')
  await rename(frozen, 1, 'Written before the frost')
  await sending
  await setLifecycle(frozen, 'frozen')
  expect(await locks(page)).toContainEqual(expect.stringContaining('drain:'))
  const since = performance.now()
  await rename(page, 2, 'Written beside the frost')
  await page.getByText('Written beside the frost').first().waitFor()
  await expect.poll(() => page.locator('tbody tr', { hasText: 'Written beside' }).locator('.pending-mark').count()).toBe(0)
  expect(performance.now() - since).toBeLessThan(withinMs)
  await frozen.unrouteAll()
  await setLifecycle(frozen, 'active')
  await frozen.reload()
  await expect.poll(() => frozen.locator('.pending-mark').count(), { timeout: 60_000 }).toBe(0)
  await frozen.getByText('Written before the frost').first().waitFor()
  await frozen.getByText('Written beside the frost').first().waitFor()
}, 120_000)

it('fault 41f a tab that is frozen while it renews the session keeps no other one from renewing it', async () => {
  const [frozen, page] = await openTwo(ownCompany().admin)
  const renewing = hang(frozen, (route) => route.request().url().includes('/token'))
  await frozen.context().clearCookies({ name: /portal-access/ })
  await frozen.reload()
  await renewing
  await setLifecycle(frozen, 'frozen')
  expect(await locks(page)).toContain('portal-renew')
  const since = performance.now()
  const answered = page.waitForResponse(
    (response) => response.url().includes('/user') && response.request().resourceType() === 'fetch',
  )
  await page.reload()
  expect((await answered).status()).toBe(200)
  expect(performance.now() - since).toBeLessThan(withinMs)
}, 120_000)
