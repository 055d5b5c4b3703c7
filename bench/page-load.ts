/** Measures one visit to a page in Chromium: the time until the first row is shown, and the blocking time. */
import type { BrowserContext, Page } from 'playwright-core'

export interface VisitTimes {
  /** Time from the start of the navigation to the first row on the screen. */
  readyMs: number
  /** Total time of long tasks above 50 ms each, until one second after the first row. */
  blockingMs: number
}

interface PageMarks {
  readyAt: number
  tasks: { startTime: number; duration: number }[]
}
declare global {
  interface Window {
    benchMarks?: PageMarks
  }
}

/** Runs before the page's own scripts. */
function watchPage(selector: string) {
  const marks: PageMarks = { readyAt: 0, tasks: [] }
  window.benchMarks = marks
  new PerformanceObserver((list) => marks.tasks.push(...list.getEntries())).observe({
    type: 'longtask',
    buffered: true,
  })
  const observer = new MutationObserver(() => {
    if (!document.querySelector(selector)) return
    observer.disconnect()
    requestAnimationFrame(() => (marks.readyAt = performance.now()))
  })
  observer.observe(document, { childList: true, subtree: true })
}

const settleMs = 1000

export interface PageTarget {
  url: string
  /** Selects an element that exists when the page is ready: a real row, not a skeleton. */
  selector: string
}

export async function visitPage(
  context: BrowserContext,
  { url, selector }: PageTarget,
  cpu: number,
): Promise<VisitTimes> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  try {
    await session.send('Emulation.setCPUThrottlingRate', { rate: cpu })
    await page.addInitScript(watchPage, selector)
    await page.goto(url, { waitUntil: 'commit', timeout: 60_000 })
    await page.waitForFunction(() => (window.benchMarks?.readyAt ?? 0) > 0, null, { timeout: 60_000, polling: 50 })
    await page.waitForTimeout(settleMs)
    return await page.evaluate(readTimes, settleMs)
  } catch (error) {
    throw new Error(`${url} was not ready: ${await readText(page)}`, { cause: error })
  } finally {
    await page.close()
  }
}

function readTimes(settle: number) {
  const { readyAt, tasks } = window.benchMarks ?? { readyAt: Number.NaN, tasks: [] }
  return {
    readyMs: readyAt,
    blockingMs: tasks
      .filter(({ startTime }) => startTime < readyAt + settle)
      .reduce((ms, { duration }) => ms + Math.max(0, duration - 50), 0),
  }
}

const readText = (page: Page) =>
  page.evaluate(() => document.body?.innerText.slice(0, 200) ?? '').catch(() => 'the browser has no page')
