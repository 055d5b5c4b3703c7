/** Pages that are open while a new version is put on the server under them: one portal, one browser context for each test. */
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

/** A look at what is so in the end; how long it takes is the machine's matter. */
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

  /** A page that a worker controls. */
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

  /** To be seen again as long as the page is not loaded anew. */
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

  /** What a look at the tab, or the hour, does. Not waited for: it may load the page anew. */
  const lookForUpdate = (page: Page) =>
    page.evaluate(
      () => void navigator.serviceWorker.getRegistration('/saas/').then((registration) => registration?.update()),
    )

  /** Not to be asked for while a worker is to go: a message in the moment of its end brings it back. */
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
