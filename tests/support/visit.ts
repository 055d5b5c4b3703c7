/** A portal and a browser for one test file, and ways into its pages. Both end with the file. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { openBrowser, people, type Portal, signIn, startPortal } from '#tests/support/browser.ts'
import { tellScreens } from '#tests/support/evidence.ts'

export const desk: BrowserContextOptions = { viewport: { width: 1280, height: 800 } }
export const tablet: BrowserContextOptions = { viewport: { width: 1024, height: 768 }, hasTouch: true }
export const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

export interface Visit {
  page: Page
  /** Errors of the console and of scripts. */
  wrong: string[]
  close: () => Promise<void>
}

/** `ends` are run after each test, the last one first. `settings` are the server's environment. */
export function setUp(settings: Record<string, string> = {}) {
  const the = {} as { portal: Portal; browser: Browser }
  const ends: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    ;[the.portal, the.browser] = await Promise.all([startPortal(settings), openBrowser()])
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await tellScreens(the.browser, task.name)
    for (const end of ends.splice(0).reverse()) await end()
  })
  afterAll(async () => {
    await the.browser?.close()
    await the.portal?.close()
  })
  return { the, ends }
}

export function visits() {
  const { the } = setUp()

  /** A browser of its own, nobody signed in. */
  async function open(options: BrowserContextOptions = desk): Promise<Visit> {
    const context = await the.browser.newContext(options)
    const page = await context.newPage()
    const wrong: string[] = []
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
    page.on('pageerror', (error) => wrong.push(error.message))
    return { page, wrong, close: () => context.close() }
  }

  const enter = (page: Page, who: keyof typeof people, path?: string) => signIn(page, the.portal, who, path)

  async function inside(who: keyof typeof people, path: string, options?: BrowserContextOptions): Promise<Visit> {
    const visit = await open(options)
    await enter(visit.page, who, path)
    return visit
  }

  const go = (page: Page, path: string) => page.goto(`${the.portal.url}/saas${path}`)
  return { open, enter, inside, go }
}

export const rows = (page: Page) => page.locator('tbody tr:not(.waiting)')

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

export const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
export const address = (page: Page) => new URL(page.url())
