/** Opens two signed-in tabs of one browser profile, each with the test rig loaded. They can be killed and reopened. */
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
  /** Writes the queues of each page. Resolves when all writes are recorded or the browser was killed. */
  write(queues: WriteQueue[][]): Promise<void>
  countUnsent(): Promise<number>
  readAuthor(): Promise<{ companyId: number; userId: number } | null>
  describeEntries(): Promise<string>
  /** Stops the worker repeatedly. Returns how often a worker was running. */
  harassWorker(random: Random, options: { minMs: number; maxMs: number; forMs: number }): Promise<number>
  /** Reloads the second tab without a controlling worker, like a user's forced reload. */
  loseWorker(): Promise<void>
}

export interface TabsOptions {
  url: string
  profile: string
  recordProgress: (progress: WriteProgress) => void
  person?: Person
  onSignIn?: () => void
}

export const tabCount = 2
const readyMs = 30_000
/** Maximum repetitions of a call that a reload interrupts. The app reloads at most once per minute, so more interruptions are a fault. */
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
      // Writing may fail if the browser was killed.
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
 * Returns a function that calls the rig in a page. If a worker is stopped at the wrong moment, Chromium sometimes never completes a page
 * load, and under a debugger there is no timeout. The page accepts no further calls until then, so the load is stopped, as a user would,
 * and the previous page continues.
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
 * Repeats the call on the reloaded page. The app reloads a page once if the worker does not deliver its cached files
 * (`worker-recovery.ts`), as happens when the worker is stopped during a request. The new page needs the rig again.
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

/** Opens the list of users, logs in if needed, and loads the rig. */
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
    // The app does not open the previous user's page for a different user.
    await page.waitForURL((address) => address.pathname.startsWith('/saas/app'))
    await page.goto(`${url}/saas/app/user`)
  }
  await list.waitFor()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await loadRig(page)
}

/**
 * Loads the rig into the page. The code is passed as text, because the test runner transforms `import()` in its own files into code that
 * the page cannot run.
 */
async function loadRig(page: Page): Promise<void> {
  await page.evaluate(`import('/saas/rig/rig.js').then((rig) => { window.rig = rig })`)
}
