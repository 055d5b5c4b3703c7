/**
 * Sets up browser tests: a portal and the browser that all files share (`shared-portal.ts`), and functions that open pages. On the shared
 * portal, a test that writes uses its own company. A test that stops the server or changes its settings or data of all companies (price
 * lists, modules) needs its own portal.
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
  /** Messages of console and script errors. */
  problems: string[]
  close: () => Promise<void>
}

interface BrowserFixture {
  portal: Portal
  browser: Browser
}

/** Connection to the browser. There is one per process that runs test files. */
let browserConnection: Promise<Browser> | undefined
export const sharedBrowser = () => (browserConnection ??= chromium.connect(inject('shared').browser))

const refuseSharedPortal = () =>
  Promise.reject(new Error('the portal of all files is stopped by none of them: setUp() starts another'))
const sharedPortal = (): Portal => ({
  url: inject('shared').url,
  dataDir: '',
  output: () => '',
  pid: () => 0,
  stop: refuseSharedPortal,
  kill: refuseSharedPortal,
  start: refuseSharedPortal,
  close: () => Promise.resolve(),
})

export interface TestSetup {
  fixture: BrowserFixture
  /** Functions that run after each test, in reverse order. The argument is true if the test passed. */
  cleanups: ((hasPassed: boolean) => Promise<unknown>)[]
}

/** Starts a portal for this file only, which is closed with it. `settings` are the server's environment. */
export const setUp = (settings: Record<string, string> = {}): TestSetup => withPortal(() => startPortal(settings))

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

/** Returns a company that no other test uses, with the users, services and orders of Acme. */
export const takeOwnCompany = (): TestCompany => takeCompany(inject('shared').takenDir)

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

/** Opens a page of a logged-in user in a browser context that the file's tests share (`page-pool.ts`). */
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

/** Like `resumePage`, on a device that has stored nothing and whose session the test may end. Page and device are closed after the test. */
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

/** Options of a page. `language` is the language that the user has chosen on this device before. */
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

  async function open(options: BrowserContextOptions = desktop): Promise<WatchedPage> {
    const context = await fixture.browser.newContext(options)
    return watchPage(await context.newPage(), () => context.close())
  }

  const enter = (page: Page, person: PersonOrName, path?: string) => signIn(page, fixture.portal, person, path)

  async function openSignedIn(
    person: PersonOrName,
    path: string,
    options?: BrowserContextOptions,
  ): Promise<WatchedPage> {
    const watchedPage = await open(options)
    await enter(watchedPage.page, person, path)
    return watchedPage
  }

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

export async function openPath(page: Page, portal: Pick<Portal, 'url'>, path: string) {
  await page.goto(`${portal.url}/saas${path}`)
  await page.locator('.shell main h1').waitFor()
}

/** Replaces the value by key presses at the speed of a fast typist, so the form reacts between two keys. */
export async function typeInto(field: Locator, text: string): Promise<void> {
  await field.focus()
  await field.press('ControlOrMeta+a')
  await field.pressSequentially(text, { delay: 10 })
}

export const getRows = (page: Page) => page.locator('tbody tr:not(.waiting)')

export const getLabel = (box: Locator) => box.locator('..').locator('label')

export async function waitForList(page: Page) {
  await getRows(page).first().waitFor()
  await page.locator('.list:not(.again)').waitFor()
}

/** Waits until the worker controls the page. After that the page works offline. */
export const waitForController = (page: Page) => page.waitForFunction(() => navigator.serviceWorker.controller !== null)

/** Waits until the list is completely cached: the freshness line shows its time and no longer a count. */
export const waitForCompleteList = (page: Page) =>
  expect
    .poll(() =>
      page
        .locator('.freshness')
        .evaluate((freshness) => freshness.querySelector('time')?.textContent === freshness.textContent),
    )
    .toBe(true)

/** Returns the downloaded bytes, including the byte order mark, regardless of where the browser runs. */
export const readBytes = async (download: Download): Promise<Buffer> => buffer(await download.createReadStream())
export const readText = async (download: Download): Promise<string> => (await readBytes(download)).toString('utf8')

export const readFocusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
export const getAddress = (page: Page) => new URL(page.url())
