/** Two tabs of one browser on one profile, signed in to the portal and each with a hand inside, that can be lost and had again. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Lane } from '#tests/campaigns/operations.ts'
import { fillLogin, people, type Person } from '#tests/support/browser/browser.ts'
import { between, type Chance } from '#tests/support/runner/chance.ts'
import { type Chromium, startChromium } from '#tests/support/browser/chromium.ts'
import type { Told } from '#tests/support/device/rig/rig.ts'
import { controlWorker } from '#tests/support/browser/worker-control.ts'

declare global {
  interface Window {
    rig: typeof import('#tests/support/device/rig/rig.ts')
    campaignTold: (told: Told) => void
  }
}

export interface Tabs {
  browser: Chromium
  first: Page
  second: Page
  /** Writes each page's lanes; resolves when all are recorded, or the browser is gone. */
  write(lanes: Lane[][]): Promise<void>
  waiting(): Promise<number>
  author(): Promise<{ companyId: number; userId: number } | null>
  /** What waits and why, for people. */
  standing(): Promise<string>
  /** Stops the worker again and again; answers how often one was running. */
  harassWorker(chance: Chance, how: { minMs: number; maxMs: number; forMs: number }): Promise<number>
  /** Reloads the second tab so that no worker is in control of it, as a person's forced reload does. */
  loseWorker(): Promise<void>
}

export interface Opening {
  url: string
  profile: string
  tell: (told: Told) => void
  /** Signs in where nobody is signed in. */
  who?: Person
  /** Hears when somebody had to. */
  onSignIn?: () => void
}

export const tabsOpen = 2
const readyMs = 30_000
/** It does so once a minute at most. */
const maxLoads = 3
const stuckLoadMs = 20_000

export async function openTabs(opening: Opening): Promise<Tabs> {
  const browser = await startChromium(opening.profile)
  try {
    const first = await browser.page()
    const second = await browser.page()
    for (const page of [first, second]) {
      await page.exposeFunction('campaignTold', opening.tell)
      await enter(page, opening)
    }
    return await over(browser, first, second)
  } catch (error) {
    await browser.kill()
    throw error
  }
}

async function over(browser: Chromium, first: Page, second: Page): Promise<Tabs> {
  const worker = await controlWorker(first)
  const [inFirst, inSecond] = [await handOf(first), await handOf(second)]
  const write = (by: Hand, lanes: Lane[] = []) =>
    by((page) =>
      page.evaluate(
        (deeds) => window.rig.writeAll(deeds, window.campaignTold),
        lanes.map(({ deeds }) => deeds),
      ),
    )
  return {
    browser,
    first,
    second,
    async write(lanes) {
      const all = await Promise.allSettled([write(inFirst, lanes[0]), write(inSecond, lanes[1])])
      const failed = all.find((one) => one.status === 'rejected')
      // Who was killed while writing has an excuse.
      if (failed && browser.isUp()) throw failed.reason
    },
    waiting: () => inFirst((page) => page.evaluate(() => window.rig.waiting())),
    author: () => inFirst((page) => page.evaluate(() => window.rig.subject())),
    standing: async () => (await inFirst((page) => page.evaluate(() => window.rig.standing()))).join('; '),
    async harassWorker(chance, { minMs, maxMs, forMs }) {
      const until = Date.now() + forMs
      let stops = 0
      while (Date.now() < until) {
        await wait(between(chance, minMs, maxMs))
        if (await worker.stop()) stops += 1
      }
      return stops
    },
    async loseWorker() {
      const session = await second.context().newCDPSession(second)
      await session.send('Page.reload', { ignoreCache: true })
      await second.waitForFunction(() => window.rig === undefined && navigator.serviceWorker.controller === null)
      await listOf(second).waitFor()
      await giveHand(second)
    },
  }
}

type Hand = <T>(act: (page: Page) => Promise<T>) => Promise<T>

/**
 * Asks something of a page. A load whose worker is ended at the wrong moment is now and then never answered by Chromium, under a
 * debugger without any limit of time, and until it is nothing else is asked of the page: it is stopped, as by a person, and what
 * stood there before goes on.
 */
async function handOf(page: Page): Promise<Hand> {
  const session = await page.context().newCDPSession(page)
  return async (act) => {
    const timer = setInterval(() => void session.send('Page.stopLoading').catch(() => {}), stuckLoadMs)
    try {
      return await askAgain(page, act)
    } finally {
      clearInterval(timer)
    }
  }
}

/**
 * The app loads a page once more whose worker does not bring what it has (`worker-recovery.ts`), and a worker that is ended
 * while it is asked does not: the page that stands then gets its hand, and what was asked of the former one is asked again.
 */
async function askAgain<T>(page: Page, act: (page: Page) => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      await listOf(page).waitFor()
      if (await page.evaluate(() => window.rig === undefined)) await giveHand(page)
      return await act(page)
    } catch (error) {
      if (tries === maxLoads || !/context was destroyed|of undefined \(reading/.test(String(error))) throw error
    }
  }
}

const listOf = (page: Page) => page.locator('main tbody tr a').first()

/** To the list of users, by way of the login where it is asked for, with a hand inside. */
export async function enter(page: Page, { url, who = people.admin, onSignIn }: Omit<Opening, 'tell' | 'profile'>) {
  page.setDefaultTimeout(readyMs)
  await page.goto(`${url}/saas/app/user`)
  const login = page.locator('input[name="password"]')
  const list = listOf(page)
  await login.or(list).first().waitFor()
  if (await login.isVisible()) {
    onSignIn?.()
    await fillLogin(page, who)
    await page.locator('form button[type="submit"]').click()
    // Who is another than the last one does not stand where that one stood.
    await page.waitForURL((address) => address.pathname.startsWith('/saas/app'))
    await page.goto(`${url}/saas/app/user`)
  }
  await list.waitFor()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await giveHand(page)
}

/** As text: a test runner turns `import()` in its own files into something that no page knows. */
async function giveHand(page: Page): Promise<void> {
  await page.evaluate(`import('/saas/rig/rig.js').then((rig) => { window.rig = rig })`)
}
