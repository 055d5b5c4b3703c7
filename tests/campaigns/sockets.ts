/** Tests progress over a websocket that is dropped every few seconds, and over one that never opens. */
import type { Browser, Page } from 'playwright-core'
import { waitUntil } from '#tests/campaigns/long-requests.ts'
import { openBrowser, type Portal, signIn } from '#tests/support/browser/browser.ts'
import { drawBetween, type Random } from '#tests/support/runner/random.ts'

export interface SocketReport {
  dropCount: number
  requests: number
  percentCount: number
  /** Shortest time between two connection attempts of a page, ms. */
  minRetryMs: number
  /** Number of attempts of the page whose websocket never opens, and the time in ms in which they were made. */
  blocked: { tryCount: number; ms: number }
  faults: string[]
}

declare global {
  interface Window {
    /** Percentages displayed since this list was last cleared. */
    displayedPercents: number[]
  }
}

const droppingPages = 4

export async function measureSockets(
  portal: Portal,
  runs: number,
  random: Random,
  log: (line: string) => void,
): Promise<SocketReport> {
  const browser = await openBrowser()
  const attemptTimes = Array.from({ length: droppingPages + 1 }, (): number[] => [])
  const report: SocketReport = {
    dropCount: 0,
    requests: 0,
    percentCount: 0,
    minRetryMs: Number.POSITIVE_INFINITY,
    blocked: { tryCount: 0, ms: 0 },
    faults: [],
  }
  try {
    const pages = await Promise.all(
      attemptTimes.map((attemptTimesOfPage, pageIndex) =>
        openActivity({ portal, browser, random, report }, attemptTimesOfPage, pageIndex),
      ),
    )
    const startedAt = performance.now()
    let roundCount = 0
    while (report.dropCount < runs) {
      report.requests += pages.length
      roundCount += 1
      for (const page of pages)
        await page.locator('main').getByRole('button', { name: 'Verify the audit trail', exact: true }).click()
      const allEnded = async () => (await Promise.all(pages.map(hasEnded(roundCount)))).every(Boolean)
      if (!(await waitUntil(allEnded, 180_000, 200)))
        report.faults.push(`round ${roundCount} did not end on every page`)
      for (const [pageIndex, page] of pages.entries())
        checkPercents(report, pageIndex, await page.evaluate(() => window.displayedPercents.splice(0)))
      log(`R-26: ${report.dropCount} drops of ${runs}, ${report.faults.length} faults`)
    }
    report.blocked = { tryCount: attemptTimes[droppingPages]?.length ?? 0, ms: performance.now() - startedAt }
    for (const attemptTimesOfPage of attemptTimes)
      for (const [index, nextAttempt] of attemptTimesOfPage.slice(1).entries())
        report.minRetryMs = Math.min(report.minRetryMs, nextAttempt - (attemptTimesOfPage[index] ?? 0))
    return report
  } finally {
    await browser.close()
  }
}

/** Opens a page in its own browser context, because only one tab of a browser is visible, and only a visible page opens a websocket. */
async function openActivity(
  { portal, browser, random, report }: { portal: Portal; browser: Browser; random: Random; report: SocketReport },
  attemptTimesOfPage: number[],
  pageIndex: number,
): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  await page.routeWebSocket(/progress/, (socket) => {
    attemptTimesOfPage.push(performance.now())
    if (pageIndex === droppingPages) return void socket.close()
    const server = socket.connectToServer()
    const drop = () => {
      report.dropCount += 1
      void Promise.all([socket.close(), server.close()]).catch(() => undefined)
    }
    setTimeout(drop, drawBetween(random, 1_000, 10_000))
  })
  await signIn(page, portal, 'staff', '/app/activity?tab=tasks')
  await page.evaluate(watchPercents)
  return page
}

const hasEnded = (minCount: number) => async (page: Page) =>
  (await page.locator('main .request').filter({ hasText: 'as they were written' }).count()) >= minCount

/** Records each change of the visible progress bar. Runs in the page. */
function watchPercents() {
  window.displayedPercents = []
  setInterval(() => {
    const bar = document.querySelector('main [role=progressbar]')
    const currentPercent = Number(bar?.getAttribute('aria-valuenow'))
    if (bar && window.displayedPercents.at(-1) !== currentPercent) window.displayedPercents.push(currentPercent)
  }, 50)
}

function checkPercents(report: SocketReport, pageIndex: number, percents: number[]): void {
  report.percentCount += percents.length
  if (percents.some((percent, index) => percent < (percents[index - 1] ?? 0)))
    report.faults.push(`page ${pageIndex} went backwards: ${percents.join(' ')}`)
}
