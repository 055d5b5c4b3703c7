/** A first visit that loses a file on the way, before there is a worker (P-11). */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { input } from '#tests/support/browser/newcomer.ts'
import { desk, setUpShared } from '#tests/support/browser/visit.ts'

const { the, ends } = setUpShared()

describe('a first visit that loses a file (P-11)', () => {
  /** The page's scripts of this name are lost, the first so many times that it is loaded. */
  async function visit(lost: RegExp, times: number): Promise<{ page: Page; loaded: () => number }> {
    // What is lost here is lost before there is a worker: none is let fetch the whole app beside it.
    const context = await the.browser.newContext({ ...desk, locale: 'en-GB', serviceWorkers: 'block' })
    ends.push(() => context.close())
    const page = await context.newPage()
    let loaded = 0
    page.on('request', (request) => request.isNavigationRequest() && loaded++)
    await page.route(lost, (route) => (loaded <= times ? route.abort('connectionreset') : route.continue()))
    await page.goto(`${the.portal.url}/saas/login`)
    return { page, loaded: () => loaded }
  }
  const words = (page: Page) => page.getByText('This page has not come through yet.', { exact: false })

  it.each([/assets\/libraries-/, /assets\/frame-/])('%s, once: comes by itself', async (lost) => {
    const { page, loaded } = await visit(lost, 1)
    await input(page, 'company').waitFor()
    expect(loaded()).toBe(2)
    expect(await words(page).isVisible()).toBe(false)
  })

  it('its very first one: says so, and comes when it is loaded again', async () => {
    const { page } = await visit(/assets\/index-/, 1)
    await words(page).waitFor()
    await page.getByRole('link', { name: 'Load it again' }).click()
    await input(page, 'company').waitFor()
    expect(await words(page).isVisible()).toBe(false)
  })

  it('for good: says so too, and does not go in a circle', async () => {
    const { page, loaded } = await visit(/assets\/libraries-/, Number.POSITIVE_INFINITY)
    await words(page).waitFor()
    expect(loaded()).toBe(2)
  })
})
