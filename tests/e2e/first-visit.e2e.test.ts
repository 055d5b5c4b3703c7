/** The first visit: when the worker takes over, it has all pages that are open, those too that are only coming (P-09). */
import { it } from 'vitest'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForController, desktop, setUpShared } from '#tests/support/browser/browser-setup.ts'

const { fixture, cleanups } = setUpShared()

nightly('a page that was on its way while the first worker took over is under it too', async () => {
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

it('is fetched in the same visit when the line was cut in its first moments (P-09)', async () => {
  const context = await fixture.browser.newContext(desktop)
  cleanups.push(() => context.close())
  const page = await context.newPage()
  const failurePromise = page.waitForEvent('console', (message) => message.text().includes('fetching the script'))
  // The last thing that is asked for before the worker.
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
