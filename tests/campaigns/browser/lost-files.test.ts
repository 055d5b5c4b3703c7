/** Tests a first visit in which a script fails to load, before a worker exists (P-11). */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { getInput } from '#tests/support/browser/newcomer.ts'
import { desktop, setUpShared } from '#tests/support/browser/browser-setup.ts'

const { fixture, cleanups } = setUpShared()

describe('a first visit in which a file fails to load (P-11)', () => {
  /** Opens the login page. The first `lossCount` loads of scripts that match `lostFile` fail. */
  async function openWithLoss(lostFile: RegExp, lossCount: number): Promise<{ page: Page; countLoads: () => number }> {
    // Workers are blocked, because a worker would download the whole app meanwhile.
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

  it.each([/assets\/libraries-/, /assets\/frame-/])('recovers by itself if %s fails once', async (lostFile) => {
    const { page, countLoads } = await openWithLoss(lostFile, 1)
    await getInput(page, 'company').waitFor()
    expect(countLoads()).toBe(2)
    expect(await getNotice(page).isVisible()).toBe(false)
  })

  it('shows a notice if the entry script fails, and works after a reload', async () => {
    const { page } = await openWithLoss(/assets\/index-/, 1)
    await getNotice(page).waitFor()
    await page.getByRole('link', { name: 'Load it again' }).click()
    await getInput(page, 'company').waitFor()
    expect(await getNotice(page).isVisible()).toBe(false)
  })

  it('shows a notice and does not reload in a loop if the file always fails', async () => {
    const { page, countLoads } = await openWithLoss(/assets\/libraries-/, Number.POSITIVE_INFINITY)
    await getNotice(page).waitFor()
    expect(countLoads()).toBe(2)
  })
})
