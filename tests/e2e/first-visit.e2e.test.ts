/** Tests the first visit: when the worker takes over, it controls all open pages, also those still loading (P-09). */
import { it } from 'vitest'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForController, desktop, setUpShared } from '#tests/support/browser/browser-setup.ts'

const { fixture, cleanups } = setUpShared()

nightly('A page that was loading while the first worker took over is controlled by it', async () => {
  const context = await fixture.browser.newContext(desktop)
  cleanups.push(() => context.close())
  const [first, second] = [await context.newPage(), await context.newPage()]
  const requested = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  await second.route('**/saas/forget', async (route) => {
    requested.resolve()
    await release.promise
    await route.continue()
  })
  const navigation = second.goto(`${fixture.portal.url}/saas/forget`)
  await requested.promise
  await first.goto(`${fixture.portal.url}/saas/login`)
  await waitForController(first)
  release.resolve()
  await navigation
  await waitForController(second)
})

it('The worker is still fetched during a first visit if the connection fails at its start (P-09)', async () => {
  const context = await fixture.browser.newContext(desktop)
  cleanups.push(() => context.close())
  const page = await context.newPage()
  const failurePromise = page.waitForEvent('console', (message) => message.text().includes('fetching the script'))
  // This is the last request before the worker's script.
  await page.route('**/worker.json', async (route) => {
    await context.setOffline(true)
    await route.abort()
  })
  await page.goto(`${fixture.portal.url}/saas/login`)
  await failurePromise
  await page.unroute('**/worker.json')
  await context.setOffline(false)
  await waitForController(page)
})
