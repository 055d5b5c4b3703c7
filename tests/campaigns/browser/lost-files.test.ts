/** A first visit that loses a file on the way, before there is a worker (P-11). */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { getInput } from '#tests/support/browser/newcomer.ts'
import { desktop, setUpShared } from '#tests/support/browser/browser-setup.ts'

const { fixture, cleanups } = setUpShared()

describe('a first visit that loses a file (P-11)', () => {
  /** The page's scripts of this name are lost, the first so many times that it is loaded. */
  async function openWithLoss(lostFile: RegExp, lossCount: number): Promise<{ page: Page; countLoads: () => number }> {
    // What is lost here is lost before there is a worker: none is let fetch the whole app beside it.
    const context = await fixture.browser.newContext({ ...desktop, locale: 'en-GB', serviceWorkers: 'block' })
    cleanups.push(() => context.close())
    const page = await context.newPage()
    let loadCount = 0
    page.on('request', (request) => request.isNavigationRequest() && loadCount++)
    await page.route(lostFile, (route) => (loadCount <= lossCount ? route.abort('connectionreset') : route.continue()))
    await page.goto(`${fixture.portal.url}/saas/login`)
    return { page, countLoads: () => loadCount }
  }
  const getNotice = (page: Page) => page.getByText('This page has not come through yet.', { exact: false })

  it.each([/assets\/libraries-/, /assets\/frame-/])('%s, once: comes by itself', async (lostFile) => {
    const { page, countLoads } = await openWithLoss(lostFile, 1)
    await getInput(page, 'company').waitFor()
    expect(countLoads()).toBe(2)
    expect(await getNotice(page).isVisible()).toBe(false)
  })

  it('its very first one: says so, and comes when it is loaded again', async () => {
    const { page } = await openWithLoss(/assets\/index-/, 1)
    await getNotice(page).waitFor()
    await page.getByRole('link', { name: 'Load it again' }).click()
    await getInput(page, 'company').waitFor()
    expect(await getNotice(page).isVisible()).toBe(false)
  })

  it('for good: says so too, and does not go in a circle', async () => {
    const { page, countLoads } = await openWithLoss(/assets\/libraries-/, Number.POSITIVE_INFINITY)
    await getNotice(page).waitFor()
    expect(countLoads()).toBe(2)
  })
})
