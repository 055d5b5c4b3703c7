/** Uses the portal as a person does: looks for labels and texts, clicks and types. */
import { setTimeout as wait } from 'node:timers/promises'
import { type EngineBrowser, type Target, waitFor } from '#tests/campaigns/browsers/engine.ts'
import type { Person } from '#tests/support/browser/browser.ts'
import { countCachedPartFiles, listPartFiles, type PartName } from '#tests/support/pages/part-files.ts'

/** Maximum time in ms for pages and files on a busy machine. */
const pageMs = 120_000
const maxClicks = 5

export interface PageUser {
  browser: EngineBrowser
  /** Opens a path below `/saas`. */
  open(path: string): Promise<void>
  reload(): Promise<void>
  click(target: Target | string): Promise<void>
  /** Replaces the content of a field, key by key. */
  fill(target: Target | string, text: string): Promise<void>
  press(...keys: string[]): Promise<void>
  /** Waits until the page, or the element of the selector, contains the text. */
  seeText(text: string, selector?: string): Promise<void>
  /** Waits until an element of the selector is visible. */
  see(selector: string): Promise<void>
  /** Waits until no element matches the selector. */
  seeNone(selector: string): Promise<void>
  readTexts(selector: string): Promise<string[]>
  readValue(selector: string): Promise<string>
  fillLogin(person: Person): Promise<void>
  /** Logs in and waits for the first page. */
  logIn(person: Person): Promise<void>
  /** Opens the list of users and waits until all of it, and the code of its forms, is on the device. */
  openCachedUsers(): Promise<void>
  /** Opens the form of the user that the search finds, replaces the name and saves. */
  renameUser(search: string, name: string): Promise<void>
  waitUntilOffline(): Promise<void>
  waitUntilSent(): Promise<void>
}

export function createPageUser(browser: EngineBrowser, url: string): PageUser {
  const user: PageUser = {
    browser,
    open: (path) => browser.goTo(`${url}/saas${path}`),
    reload: () => browser.reload(),
    click: (target) => browser.click(target),
    async fill(target, text) {
      const hasFocus = () => document.activeElement?.hasAttribute('data-target') ?? false
      // A click misses its field if the page moves at the same moment.
      for (let clicks = 0; clicks === 0 || (clicks < maxClicks && !(await browser.run(hasFocus))); clicks++)
        await browser.click(target)
      await browser.press('Control+a')
      await browser.type(text)
      await waitFor(
        browser,
        `the field ${JSON.stringify(target)} has ${text.length} characters`,
        (length) => (document.querySelector<HTMLInputElement>('[data-target]')?.value.length ?? 0) >= length,
        [text.length],
      )
    },
    press: (...keys) => browser.press(...keys),
    seeText: (text, selector = 'body') =>
      waitFor(
        browser,
        `"${text}" is in ${selector}`,
        (expectedText, within) =>
          [...document.querySelectorAll<HTMLElement>(within)].some(({ innerText }) =>
            innerText.replace(/\s+/g, ' ').includes(expectedText),
          ),
        [text, selector],
        pageMs,
      ),
    see: (selector) =>
      waitFor(
        browser,
        `${selector} is visible`,
        (text) => [...document.querySelectorAll(text)].some((element) => element.getClientRects().length > 0),
        [selector],
        pageMs,
      ),
    seeNone: (selector) =>
      waitFor(browser, `${selector} is gone`, (text) => !document.querySelector(text), [selector], pageMs),
    readTexts: (selector) =>
      browser.run(
        (text) =>
          [...document.querySelectorAll<HTMLElement>(text)].map(({ innerText }) =>
            innerText.replace(/\s+/g, ' ').trim(),
          ),
        selector,
      ),
    readValue: (selector) =>
      browser.run((text) => document.querySelector<HTMLInputElement>(text)?.value ?? '', selector),
    async fillLogin({ company, username, password }) {
      await user.fill('input[name="company"]', company)
      await user.fill('input[name="username"]', username)
      await user.fill('input[name="password"]', password)
    },
    async logIn(person) {
      await user.open('/login')
      await user.fillLogin(person)
      await user.press('Enter')
      await user.see('.shell main h1')
      await waitFor(browser, 'the worker is in control', () => !!navigator.serviceWorker.controller, [], pageMs)
    },
    async openCachedUsers() {
      await user.open('/app/user')
      await user.see('main tbody tr a')
      // The line about freshness has no number of rows any more.
      const isComplete = () => {
        const line = document.querySelector('.freshness')
        return line !== null && line.querySelector('time')?.textContent === line.textContent
      }
      await waitFor(browser, 'the list is complete on this device', isComplete, [], pageMs)
      await waitForCachedPart(browser, 'users')
    },
    async renameUser(search, name) {
      await user.open(`/app/user?searchText=${search}`)
      await user.click('main tbody .lead a')
      await user.see('[role="dialog"] input[name="name"]')
      await user.fill('[role="dialog"] input[name="name"]', name)
      await user.click('[role="dialog"] button[type="submit"]')
      await user.seeNone('[role="dialog"]')
    },
    waitUntilOffline: () => user.seeNone('.line.online'),
    waitUntilSent: () => user.seeNone('.bar-waiting'),
  }
  return user
}

/** Waits until the worker has cached all files of the part. It fetches them when the page is idle. */
export async function waitForCachedPart(browser: EngineBrowser, part: PartName): Promise<void> {
  const files = listPartFiles(part)
  for (const deadline = performance.now() + pageMs; ; await wait(200)) {
    if ((await browser.run(countCachedPartFiles, files)) === files.length) return
    if (performance.now() > deadline) throw new Error(`not within ${pageMs} ms: the code of ${part} is on the device`)
  }
}
