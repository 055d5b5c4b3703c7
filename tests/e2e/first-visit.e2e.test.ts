/** The first visit: when the worker takes over, it has all pages that are open, those too that are only coming (P-09). */
import { it } from 'vitest'
import { nightly } from '#tests/support/runner/nightly.ts'
import { controlled, desk, setUpShared } from '#tests/support/browser/visit.ts'

const { the, ends } = setUpShared()

nightly('a page that was on its way while the first worker took over is under it too', async () => {
  const context = await the.browser.newContext(desk)
  ends.push(() => context.close())
  const [first, second] = [await context.newPage(), await context.newPage()]
  const asked = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  await second.route('**/saas/forget', async (route) => {
    asked.resolve()
    await free.promise
    await route.continue()
  })
  const coming = second.goto(`${the.portal.url}/saas/forget`)
  await asked.promise
  await first.goto(`${the.portal.url}/saas/login`)
  await controlled(first)
  free.resolve()
  await coming
  await controlled(second)
})

it('is fetched in the same visit when the line was cut in its first moments (P-09)', async () => {
  const context = await the.browser.newContext(desk)
  ends.push(() => context.close())
  const page = await context.newPage()
  const failed = page.waitForEvent('console', (said) => said.text().includes('fetching the script'))
  // The last thing that is asked for before the worker.
  await page.route('**/worker.json', async (route) => {
    await context.setOffline(true)
    await route.abort()
  })
  await page.goto(`${the.portal.url}/saas/login`)
  await failed
  await page.unroute('**/worker.json')
  await context.setOffline(false)
  await controlled(page)
})
