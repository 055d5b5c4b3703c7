/** Sets up pages that are open while a new version is deployed: one portal, and one browser context per test. */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type people, signIn } from '#tests/support/browser/browser.ts'
import { buildReleases, type Releases, type ServedRelease } from '#tests/support/browser/releases.ts'
import { desktop, sharedBrowser } from '#tests/support/browser/browser-setup.ts'
import { stopOutgoingWhile } from '#tests/support/browser/worker-control.ts'

interface UpdateFixture {
  releases: Releases
  served: ServedRelease
  context: BrowserContext
}

/** Timeout in ms for final states. The time they need depends on the machine. */
export const longTimeout = { timeout: 30_000 }

export function setUpUpdates() {
  const fixture = {} as UpdateFixture
  beforeAll(async () => {
    fixture.releases = await buildReleases()
  })
  afterAll(() => fixture.releases?.close())
  beforeEach(async () => {
    fixture.served = await fixture.releases.open()
    fixture.context = await (await sharedBrowser()).newContext(desktop)
  })
  afterEach(async () => {
    await fixture.context?.close()
    await fixture.served?.portal.close()
  })

  const getUpdateBar = (page: Page) => page.locator('.update')
  const getReloadButton = (page: Page) => getUpdateBar(page).getByRole('button', { name: 'Reload now' })

  async function enter(
    person: keyof typeof people = 'admin',
    path = '/app/user',
    url = fixture.served.portal.url,
  ): Promise<Page> {
    const page = await fixture.context.newPage()
    const isFirst = fixture.context.pages().length === 1
    if (isFirst) await signIn(page, { ...fixture.served.portal, url }, person, path)
    await page.goto(`${url}/saas${path}`)
    await page.locator('main h1').waitFor()
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await mark(page)
    return page
  }

  /** Marks the page. The mark is lost when the page reloads. */
  const mark = (page: Page) => page.evaluate(() => void (document.body.dataset['mark'] = 'here'))
  const isSamePage = (page: Page) => page.evaluate(() => document.body.dataset['mark'] === 'here')
  const isLoadedAnew = (page: Page, readySelector = 'main h1') =>
    stopOutgoingWhile(
      page,
      page.waitForFunction(
        (selector) => document.body.dataset['mark'] === undefined && document.querySelector(selector) !== null,
        readySelector,
      ),
    )

  /** Triggers an update check, as returning to the tab or the hourly timer does. Not awaited, because it may reload the page. */
  const lookForUpdate = (page: Page) =>
    page.evaluate(
      () => void navigator.serviceWorker.getRegistration('/saas/').then((registration) => registration?.update()),
    )

  /**
   * Returns the build that the worker reports. Must not be called while a worker is about to end: a message at that moment would restart
   * it.
   */
  const readBuild = (page: Page) =>
    page.evaluate(async () => {
      const { port1, port2 } = new MessageChannel()
      const buildMessage = new Promise<string>((resolve) => (port1.onmessage = ({ data }) => resolve(data)))
      navigator.serviceWorker.controller?.postMessage({ type: 'build' }, [port2])
      return await Promise.race([buildMessage, new Promise((resolve) => setTimeout(() => resolve('no word'), 5_000))])
    })

  async function typeUserName(page: Page, name = 'Typed but not saved') {
    await page.goto(`${fixture.served.portal.url}/saas/app/user?user=new`)
    await page.locator('[role=dialog] input[name=name]').fill(name)
    await mark(page)
  }
  const readTypedName = (page: Page) => page.locator('[role=dialog] input[name=name]').inputValue()

  return {
    fixture,
    getUpdateBar,
    getReloadButton,
    enter,
    mark,
    isSamePage,
    isLoadedAnew,
    lookForUpdate,
    readBuild,
    typeUserName,
    readTypedName,
  }
}
