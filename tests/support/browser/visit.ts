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
import { type Portal, personOf, signIn, startPortal, type Who } from '#tests/support/browser/browser.ts'
import { type Company, takeCompany } from '#tests/support/server/companies.ts'
import { tellScreens } from '#tests/support/browser/evidence.ts'
import { closePool, lend } from '#tests/support/browser/page-pool.ts'

export const desk: BrowserContextOptions = { viewport: { width: 1280, height: 800 } }
export const tablet: BrowserContextOptions = { viewport: { width: 1024, height: 768 }, hasTouch: true }
export const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

export interface Visit {
  page: Page
  /** Errors of the console and of scripts. */
  wrong: string[]
  close: () => Promise<void>
}

interface Ground {
  portal: Portal
  browser: Browser
}

/** One connection for each process that runs test files. */
let connection: Promise<Browser> | undefined
export const sharedBrowser = () => (connection ??= chromium.connect(inject('shared').browser))

const isNotOurs = () =>
  Promise.reject(new Error('the portal of all files is stopped by none of them: setUp() starts another'))
const sharedPortal = (): Portal => ({
  url: inject('shared').url,
  dataDir: '',
  output: () => '',
  stop: isNotOurs,
  kill: isNotOurs,
  start: isNotOurs,
  close: () => Promise.resolve(),
})

export interface SetUp {
  the: Ground
  /** Run after each test, the last one first; told whether it passed. */
  ends: ((hasPassed: boolean) => Promise<unknown>)[]
}

/** With a portal of the file's own, which ends with it. `settings` are the server's environment. */
export const setUp = (settings: Record<string, string> = {}): SetUp => withPortal(() => startPortal(settings))

/** On the portal of all files. */
export const setUpShared = (): SetUp => withPortal(async () => sharedPortal())

function withPortal(open: () => Promise<Portal>): SetUp {
  const the = {} as Ground
  const ends: SetUp['ends'] = []
  beforeAll(async () => {
    ;[the.portal, the.browser] = await Promise.all([open(), sharedBrowser()])
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await tellScreens(the.browser, task.name)
    for (const end of ends.splice(0).reverse()) await end(task.result?.state === 'pass')
  })
  afterAll(async () => {
    await closePool()
    await the.portal?.close()
  })
  return { the, ends }
}

/** A company that no other test knows, with the people, services and orders of Acme. */
export const ownCompany = (): Company => takeCompany(inject('shared').taken)

/** A page of somebody who has signed in, at that path, in a browser of its own. */
async function signedIn({ portal }: Ground, who: Who, path: string, open: () => Promise<BrowserContext>) {
  const context = await open()
  const page = await context.newPage()
  await signIn(page, portal, who, path)
  return page
}

const lendTo = (the: Ground, who: Who, path: string, options: Shown) =>
  lend(JSON.stringify([the.portal.url, personOf(who), options]), the.portal.url, () =>
    signedIn(the, who, path, () => shownIn(the, options)),
  )

/** A page of somebody who has signed in before, in a browser that the file's tests share (`page-pool.ts`). */
export async function resumedPage(setup: SetUp, who: Who, path: string, options: Shown = {}): Promise<Page> {
  const { page, isNew, giveBack } = await lendTo(setup.the, who, path, options)
  setup.ends.push(giveBack)
  if (!isNew) await arrive(page, setup.the.portal, path)
  return page
}

/** The same on a device that has read and sent nothing before, and whose session may be ended: both end with the test. */
export async function freshPage(setup: SetUp, who: Who, path: string, options: Shown = {}): Promise<Page> {
  const page = await signedIn(setup.the, who, path, () => shownIn(setup.the, options))
  setup.ends.push(() => page.context().close())
  return page
}

/** `language` is the one that was chosen before. */
type Shown = BrowserContextOptions & { language?: 'en' | 'zh' }

async function shownIn({ browser }: Ground, { language, ...options }: Shown): Promise<BrowserContext> {
  const context = await browser.newContext({ ...desk, reducedMotion: 'reduce', ...options })
  if (language) await context.addInitScript((chosen) => localStorage.setItem('portal.language', chosen), language)
  return context
}

export function visits({ the }: SetUp = setUp()) {
  function visit(page: Page, close: () => Promise<void>): Visit {
    const wrong: string[] = []
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
    page.on('pageerror', (error) => wrong.push(error.message))
    return { page, wrong, close }
  }

  /** A browser of its own, nobody signed in. */
  async function open(options: BrowserContextOptions = desk): Promise<Visit> {
    const context = await the.browser.newContext(options)
    return visit(await context.newPage(), () => context.close())
  }

  const enter = (page: Page, who: Who, path?: string) => signIn(page, the.portal, who, path)

  /** A browser of its own, signed in by the form. */
  async function inside(who: Who, path: string, options?: BrowserContextOptions): Promise<Visit> {
    const given = await open(options)
    await enter(given.page, who, path)
    return given
  }

  /** A browser of the file (`page-pool.ts`), with a session that may have been begun before. */
  async function resume(who: Who, path: string, options: BrowserContextOptions = desk): Promise<Visit> {
    const { page, isNew, giveBack } = await lendTo(the, who, path, options)
    const given = visit(page, () => giveBack(true))
    if (!isNew) await arrive(page, the.portal, path)
    return given
  }

  const go = (page: Page, path: string) => page.goto(`${the.portal.url}/saas${path}`)
  return { open, enter, inside, resume, go }
}

/** Loads a page of the app, of somebody who has signed in, and waits until it stands. */
export async function arrive(page: Page, portal: Pick<Portal, 'url'>, path: string) {
  await page.goto(`${portal.url}/saas${path}`)
  await page.locator('.shell main h1').waitFor()
}

/** By keys, at a quick typist's speed, in place of what stands there: what a form does between two keys is seen. */
export async function typeInto(field: Locator, text: string): Promise<void> {
  await field.focus()
  await field.press('ControlOrMeta+a')
  await field.pressSequentially(text, { delay: 10 })
}

export const rows = (page: Page) => page.locator('tbody tr:not(.waiting)')

/** What a hand meets of a check box: its label, which lies over all of its row. */
export const labelOf = (box: Locator) => box.locator('..').locator('label')

/** Waits until a list shows what it was asked for. */
export async function listed(page: Page) {
  await rows(page).first().waitFor()
  await page.locator('.list:not(.again)').waitFor()
}

/** The network may go: the worker has the page, whoever asks for it. */
export const controlled = (page: Page) => page.waitForFunction(() => navigator.serviceWorker.controller !== null)

/** The whole list is on the device once it says of when it is and no longer how much of it. */
export const listWhole = (page: Page) =>
  expect
    .poll(() =>
      page.locator('.freshness').evaluate((said) => said.querySelector('time')?.textContent === said.textContent),
    )
    .toBe(true)

/** What was saved, wherever the browser runs, with the mark at its beginning. */
export const bytesOf = async (download: Download): Promise<Buffer> => buffer(await download.createReadStream())
export const textOf = async (download: Download): Promise<string> => (await bytesOf(download)).toString('utf8')

export const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
export const address = (page: Page) => new URL(page.url())
