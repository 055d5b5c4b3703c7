/** Two tabs of one browser on one profile, signed in to the portal and each with a hand inside, that can be lost and had again. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { WriteQueue } from '#tests/campaigns/write-plan.ts'
import { fillLogin, people, type Person } from '#tests/support/browser/browser.ts'
import { drawBetween, type Random } from '#tests/support/runner/random.ts'
import { type ChromiumProcess, startChromium } from '#tests/support/browser/chromium.ts'
import type { WriteProgress } from '#tests/support/device/rig/rig.ts'
import { controlWorker } from '#tests/support/browser/worker-control.ts'

declare global {
  interface Window {
    rig: typeof import('#tests/support/device/rig/rig.ts')
    reportCampaignWrite: (progress: WriteProgress) => void
  }
}

export interface CampaignTabs {
  browser: ChromiumProcess
  first: Page
  second: Page
  /** Writes each page's lanes; resolves when all are recorded, or the browser is gone. */
  write(queues: WriteQueue[][]): Promise<void>
  countUnsent(): Promise<number>
  readAuthor(): Promise<{ companyId: number; userId: number } | null>
  /** What waits and why, for people. */
  describeEntries(): Promise<string>
  /** Stops the worker again and again; answers how often one was running. */
  harassWorker(random: Random, options: { minMs: number; maxMs: number; forMs: number }): Promise<number>
  /** Reloads the second tab so that no worker is in control of it, as a person's forced reload does. */
  loseWorker(): Promise<void>
}

export interface TabsOptions {
  url: string
  profile: string
  recordProgress: (progress: WriteProgress) => void
  /** Signs in where nobody is signed in. */
  person?: Person
  /** Hears when somebody had to. */
  onSignIn?: () => void
}

export const tabCount = 2
const readyMs = 30_000
/** It does so once a minute at most. */
const maxLoads = 3
const stuckLoadMs = 20_000

export async function openTabs(options: TabsOptions): Promise<CampaignTabs> {
  const browser = await startChromium(options.profile)
  try {
    const first = await browser.openPage()
    const second = await browser.openPage()
    for (const page of [first, second]) {
      await page.exposeFunction('reportCampaignWrite', options.recordProgress)
      await enter(page, options)
    }
    return await createCampaignTabs(browser, first, second)
  } catch (error) {
    await browser.kill()
    throw error
  }
}

async function createCampaignTabs(browser: ChromiumProcess, first: Page, second: Page): Promise<CampaignTabs> {
  const worker = await controlWorker(first)
  const [callFirst, callSecond] = [await createRigCaller(first), await createRigCaller(second)]
  const write = (callRig: RigCaller, queues: WriteQueue[] = []) =>
    callRig((page) =>
      page.evaluate(
        (writes) => window.rig.writeAll(writes, window.reportCampaignWrite),
        queues.map(({ writes }) => writes),
      ),
    )
  return {
    browser,
    first,
    second,
    async write(queues) {
      const results = await Promise.allSettled([write(callFirst, queues[0]), write(callSecond, queues[1])])
      const failedResult = results.find((result) => result.status === 'rejected')
      // Who was killed while writing has an excuse.
      if (failedResult && browser.isRunning()) throw failedResult.reason
    },
    countUnsent: () => callFirst((page) => page.evaluate(() => window.rig.countUnsent())),
    readAuthor: () => callFirst((page) => page.evaluate(() => window.rig.readSubject())),
    describeEntries: async () =>
      (await callFirst((page) => page.evaluate(() => window.rig.describeEntries()))).join('; '),
    async harassWorker(random, { minMs, maxMs, forMs }) {
      const deadline = Date.now() + forMs
      let stops = 0
      while (Date.now() < deadline) {
        await wait(drawBetween(random, minMs, maxMs))
        if (await worker.stop()) stops += 1
      }
      return stops
    },
    async loseWorker() {
      const session = await second.context().newCDPSession(second)
      await session.send('Page.reload', { ignoreCache: true })
      await second.waitForFunction(() => window.rig === undefined && navigator.serviceWorker.controller === null)
      await getFirstRow(second).waitFor()
      await loadRig(second)
    },
  }
}

type RigCaller = <T>(callback: (page: Page) => Promise<T>) => Promise<T>

/**
 * Asks something of a page. A load whose worker is ended at the wrong moment is now and then never answered by Chromium, under a
 * debugger without any limit of time, and until it is nothing else is asked of the page: it is stopped, as by a person, and what
 * stood there before goes on.
 */
async function createRigCaller(page: Page): Promise<RigCaller> {
  const session = await page.context().newCDPSession(page)
  return async (callback) => {
    const timer = setInterval(() => void session.send('Page.stopLoading').catch(() => {}), stuckLoadMs)
    try {
      return await retryOnPage(page, callback)
    } finally {
      clearInterval(timer)
    }
  }
}

/**
 * The app loads a page once more whose worker does not bring what it has (`worker-recovery.ts`), and a worker that is ended
 * while it is asked does not: the page that stands then gets its hand, and what was asked of the former one is asked again.
 */
async function retryOnPage<T>(page: Page, callback: (page: Page) => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      await getFirstRow(page).waitFor()
      if (await page.evaluate(() => window.rig === undefined)) await loadRig(page)
      return await callback(page)
    } catch (error) {
      if (tries === maxLoads || !/context was destroyed|of undefined \(reading/.test(String(error))) throw error
    }
  }
}

const getFirstRow = (page: Page) => page.locator('main tbody tr a').first()

/** To the list of users, by way of the login where it is asked for, with a hand inside. */
export async function enter(
  page: Page,
  { url, person = people.admin, onSignIn }: Omit<TabsOptions, 'recordProgress' | 'profile'>,
) {
  page.setDefaultTimeout(readyMs)
  await page.goto(`${url}/saas/app/user`)
  const login = page.locator('input[name="password"]')
  const list = getFirstRow(page)
  await login.or(list).first().waitFor()
  if (await login.isVisible()) {
    onSignIn?.()
    await fillLogin(page, person)
    await page.locator('form button[type="submit"]').click()
    // Who is another than the last one does not stand where that one stood.
    await page.waitForURL((address) => address.pathname.startsWith('/saas/app'))
    await page.goto(`${url}/saas/app/user`)
  }
  await list.waitFor()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await loadRig(page)
}

/** As text: a test runner turns `import()` in its own files into something that no page knows. */
async function loadRig(page: Page): Promise<void> {
  await page.evaluate(`import('/saas/rig/rig.js').then((rig) => { window.rig = rig })`)
}
