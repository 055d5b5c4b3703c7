/** Pages that are open while a new version is put on the server under them: one portal, one browser context for each test. */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type people, signIn } from '#tests/support/browser/browser.ts'
import { buildReleases, type Releases, type Served } from '#tests/support/browser/releases.ts'
import { desk, sharedBrowser } from '#tests/support/browser/visit.ts'
import { letRest } from '#tests/support/browser/worker-control.ts'

interface Open {
  releases: Releases
  served: Served
  context: BrowserContext
}

/** A look at what is so in the end; how long it takes is the machine's matter. */
export const patient = { timeout: 30_000 }

export function openUpdates() {
  const the = {} as Open
  beforeAll(async () => {
    the.releases = await buildReleases()
  })
  afterAll(() => the.releases?.close())
  beforeEach(async () => {
    the.served = await the.releases.open()
    the.context = await (await sharedBrowser()).newContext(desk)
  })
  afterEach(async () => {
    await the.context?.close()
    await the.served?.portal.close()
  })

  const bar = (page: Page) => page.locator('.update')
  const reload = (page: Page) => bar(page).getByRole('button', { name: 'Reload now' })

  /** A page that a worker controls. */
  async function enter(
    who: keyof typeof people = 'admin',
    path = '/app/user',
    url = the.served.portal.url,
  ): Promise<Page> {
    const page = await the.context.newPage()
    const isFirst = the.context.pages().length === 1
    if (isFirst) await signIn(page, { ...the.served.portal, url }, who, path)
    await page.goto(`${url}/saas${path}`)
    await page.locator('main h1').waitFor()
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await mark(page)
    return page
  }

  /** To be seen again as long as the page is not loaded anew. */
  const mark = (page: Page) => page.evaluate(() => void (document.body.dataset['mark'] = 'here'))
  const isSamePage = (page: Page) => page.evaluate(() => document.body.dataset['mark'] === 'here')
  const isLoadedAnew = (page: Page, sign = 'main h1') =>
    letRest(
      page,
      page.waitForFunction(
        (shown) => document.body.dataset['mark'] === undefined && document.querySelector(shown) !== null,
        sign,
      ),
    )

  /** What a look at the tab, or the hour, does. Not waited for: it may load the page anew. */
  const lookForUpdate = (page: Page) =>
    page.evaluate(() => void navigator.serviceWorker.getRegistration('/saas/').then((found) => found?.update()))

  /** Not to be asked for while a worker is to go: a message in the moment of its end brings it back. */
  const buildOf = (page: Page) =>
    page.evaluate(async () => {
      const { port1, port2 } = new MessageChannel()
      const said = new Promise<string>((resolve) => (port1.onmessage = ({ data }) => resolve(data)))
      navigator.serviceWorker.controller?.postMessage({ type: 'build' }, [port2])
      return await Promise.race([said, new Promise((resolve) => setTimeout(() => resolve('no word'), 5_000))])
    })

  async function typeIn(page: Page, name = 'Typed but not saved') {
    await page.goto(`${the.served.portal.url}/saas/app/user?user=new`)
    await page.locator('[role=dialog] input[name=name]').fill(name)
    await mark(page)
  }
  const typed = (page: Page) => page.locator('[role=dialog] input[name=name]').inputValue()

  return { the, bar, reload, enter, mark, isSamePage, isLoadedAnew, lookForUpdate, buildOf, typeIn, typed }
}
