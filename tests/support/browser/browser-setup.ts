/**
 * What a browser test has: a portal and the browser that all files share (`shared-portal.ts`), and ways into its pages. On the
 * shared portal who writes does so in a company of their own; who stops the server, changes its settings or what belongs to all
 * companies
 * (price lists, modules) asks for a portal of the file's own.
 */
import { buffer } from 'node:stream/consumers'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Download,
  type Locator,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { type Portal, toPerson, signIn, startPortal, type PersonOrName } from '#tests/support/browser/browser.ts'
import { type TestCompany, takeCompany } from '#tests/support/server/companies.ts'
import { logScreens } from '#tests/support/browser/evidence.ts'
import { closePool, lendPage } from '#tests/support/browser/page-pool.ts'

export const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 800 } }
export const tablet: BrowserContextOptions = { viewport: { width: 1024, height: 768 }, hasTouch: true }
export const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

export interface WatchedPage {
  page: Page
  /** Errors of the console and of scripts. */
  problems: string[]
  close: () => Promise<void>
}

interface BrowserFixture {
  portal: Portal
  browser: Browser
}

/** One connection for each process that runs test files. */
let browserConnection: Promise<Browser> | undefined
export const sharedBrowser = () => (browserConnection ??= chromium.connect(inject('shared').browser))

const refuseSharedPortal = () =>
  Promise.reject(new Error('the portal of all files is stopped by none of them: setUp() starts another'))
const sharedPortal = (): Portal => ({
  url: inject('shared').url,
  dataDir: '',
  output: () => '',
  stop: refuseSharedPortal,
  kill: refuseSharedPortal,
  start: refuseSharedPortal,
  close: () => Promise.resolve(),
})

export interface TestSetup {
  fixture: BrowserFixture
  /** Run after each test, the last one first; told whether it passed. */
  cleanups: ((hasPassed: boolean) => Promise<unknown>)[]
}

/** With a portal of the file's own, which ends with it. `settings` are the server's environment. */
export const setUp = (settings: Record<string, string> = {}): TestSetup => withPortal(() => startPortal(settings))

/** On the portal of all files. */
export const setUpShared = (): TestSetup => withPortal(async () => sharedPortal())

function withPortal(open: () => Promise<Portal>): TestSetup {
  const fixture = {} as BrowserFixture
  const cleanups: TestSetup['cleanups'] = []
  beforeAll(async () => {
    ;[fixture.portal, fixture.browser] = await Promise.all([open(), sharedBrowser()])
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await logScreens(fixture.browser, task.name)
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp(task.result?.state === 'pass')
  })
  afterAll(async () => {
    await closePool()
    await fixture.portal?.close()
  })
  return { fixture, cleanups }
}

/** A company that no other test knows, with the people, services and orders of Acme. */
export const takeOwnCompany = (): TestCompany => takeCompany(inject('shared').takenDir)

/** A page of somebody who has signed in, at that path, in a browser of its own. */
async function openSignedInPage(
  { portal }: BrowserFixture,
  person: PersonOrName,
  path: string,
  open: () => Promise<BrowserContext>,
) {
  const context = await open()
  const page = await context.newPage()
  await signIn(page, portal, person, path)
  return page
}

const lendSignedInPage = (fixture: BrowserFixture, person: PersonOrName, path: string, options: PageOptions) =>
  lendPage(JSON.stringify([fixture.portal.url, toPerson(person), options]), fixture.portal.url, () =>
    openSignedInPage(fixture, person, path, () => openContext(fixture, options)),
  )

/** A page of somebody who has signed in before, in a browser that the file's tests share (`page-pool.ts`). */
export async function resumePage(
  setup: TestSetup,
  person: PersonOrName,
  path: string,
  options: PageOptions = {},
): Promise<Page> {
  const { page, isNew, giveBack } = await lendSignedInPage(setup.fixture, person, path, options)
  setup.cleanups.push(giveBack)
  if (!isNew) await openPath(page, setup.fixture.portal, path)
  return page
}

/** The same on a device that has read and sent nothing before, and whose session may be ended: both end with the test. */
export async function openFreshPage(
  setup: TestSetup,
  person: PersonOrName,
  path: string,
  options: PageOptions = {},
): Promise<Page> {
  const page = await openSignedInPage(setup.fixture, person, path, () => openContext(setup.fixture, options))
  setup.cleanups.push(() => page.context().close())
  return page
}

/** `language` is the one that was chosen before. */
type PageOptions = BrowserContextOptions & { language?: 'en' | 'zh' }

async function openContext(
  { browser }: BrowserFixture,
  { language, ...options }: PageOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({ ...desktop, reducedMotion: 'reduce', ...options })
  if (language) await context.addInitScript((language) => localStorage.setItem('portal.language', language), language)
  return context
}

export function createVisits({ fixture }: TestSetup = setUp()) {
  function watchPage(page: Page, close: () => Promise<void>): WatchedPage {
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    return { page, problems, close }
  }

  /** A browser of its own, nobody signed in. */
  async function open(options: BrowserContextOptions = desktop): Promise<WatchedPage> {
    const context = await fixture.browser.newContext(options)
    return watchPage(await context.newPage(), () => context.close())
  }

  const enter = (page: Page, person: PersonOrName, path?: string) => signIn(page, fixture.portal, person, path)

  /** A browser of its own, signed in by the form. */
  async function openSignedIn(
    person: PersonOrName,
    path: string,
    options?: BrowserContextOptions,
  ): Promise<WatchedPage> {
    const watchedPage = await open(options)
    await enter(watchedPage.page, person, path)
    return watchedPage
  }

  /** A browser of the file (`page-pool.ts`), with a session that may have been begun before. */
  async function resumeSignedIn(
    person: PersonOrName,
    path: string,
    options: BrowserContextOptions = desktop,
  ): Promise<WatchedPage> {
    const { page, isNew, giveBack } = await lendSignedInPage(fixture, person, path, options)
    const watchedPage = watchPage(page, () => giveBack(true))
    if (!isNew) await openPath(page, fixture.portal, path)
    return watchedPage
  }

  const go = (page: Page, path: string) => page.goto(`${fixture.portal.url}/saas${path}`)
  return { open, enter, inside: openSignedIn, resume: resumeSignedIn, go }
}

/** Loads a page of the app, of somebody who has signed in, and waits until it stands. */
export async function openPath(page: Page, portal: Pick<Portal, 'url'>, path: string) {
  await page.goto(`${portal.url}/saas${path}`)
  await page.locator('.shell main h1').waitFor()
}

/** By keys, at a quick typist's speed, in place of what stands there: what a form does between two keys is seen. */
export async function typeInto(field: Locator, text: string): Promise<void> {
  await field.focus()
  await field.press('ControlOrMeta+a')
  await field.pressSequentially(text, { delay: 10 })
}

export const getRows = (page: Page) => page.locator('tbody tr:not(.waiting)')

/** What a hand meets of a check box: its label, which lies over all of its row. */
export const getLabel = (box: Locator) => box.locator('..').locator('label')

/** Waits until a list shows what it was asked for. */
export async function waitForList(page: Page) {
  await getRows(page).first().waitFor()
  await page.locator('.list:not(.again)').waitFor()
}

/** The network may go: the worker has the page, whoever asks for it. */
export const waitForController = (page: Page) => page.waitForFunction(() => navigator.serviceWorker.controller !== null)

/** The whole list is on the device once it says of when it is and no longer how much of it. */
export const waitForCompleteList = (page: Page) =>
  expect
    .poll(() =>
      page
        .locator('.freshness')
        .evaluate((freshness) => freshness.querySelector('time')?.textContent === freshness.textContent),
    )
    .toBe(true)

/** What was saved, wherever the browser runs, with the mark at its beginning. */
export const readBytes = async (download: Download): Promise<Buffer> => buffer(await download.createReadStream())
export const readText = async (download: Download): Promise<string> => (await readBytes(download)).toString('utf8')

export const readFocusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
export const getAddress = (page: Page) => new URL(page.url())
