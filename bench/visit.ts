/** One visit to a page in Chromium: when the first row stands there, and what it took until then. */
import type { BrowserContext, CDPSession, Page } from 'playwright-core'

export interface Visit {
  /** From the navigation's start to the first row on the screen. */
  readyMs: number
  /** To the first row that answers: what stands there before is a list as it was last drawn. */
  answersMs: number
  /** Gzipped script that was there by then. */
  scriptBytes: number
  /** By how much long tasks were longer than 50 ms, until a second after it answered. */
  blockingMs: number
  heapMb: number
}

interface Seen {
  readyAt: number
  answersAt: number
  tasks: { startTime: number; duration: number }[]
}
declare global {
  interface Window {
    benchSeen?: Seen
  }
}

/** Runs before the page's own scripts. */
function watch(selector: string) {
  const seen: Seen = { readyAt: 0, answersAt: 0, tasks: [] }
  window.benchSeen = seen
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries())).observe({ type: 'longtask', buffered: true })
  const observer = new MutationObserver(() => {
    const found = [...document.querySelectorAll(selector)]
    if (found.length === 0) return
    requestAnimationFrame(() => (seen.readyAt ||= performance.now()))
    if (found.every((row) => row.closest('[inert]'))) return
    observer.disconnect()
    requestAnimationFrame(() => (seen.answersAt = performance.now()))
  })
  observer.observe(document, { childList: true, subtree: true })
}

const settleMs = 1000

export interface Place {
  url: string
  /** What stands there when it is ready: a real row, no skeleton. */
  selector: string
}

export async function visit(context: BrowserContext, { url, selector }: Place, cpu: number): Promise<Visit> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  try {
    await session.send('Emulation.setCPUThrottlingRate', { rate: cpu })
    await page.addInitScript(watch, selector)
    await page.goto(url, { waitUntil: 'commit', timeout: 60_000 })
    await page.waitForFunction(() => (window.benchSeen?.answersAt ?? 0) > 0, null, { timeout: 60_000, polling: 50 })
    await page.waitForTimeout(settleMs)
    const found = await page.evaluate(measured, settleMs)
    return { ...found, heapMb: await heapOf(session) }
  } catch (error) {
    throw new Error(`${url} was not ready: ${await textOf(page)}`, { cause: error })
  } finally {
    await page.close()
  }
}

function measured(settle: number) {
  const nothing = { readyAt: Number.NaN, answersAt: Number.NaN, tasks: [] }
  const { readyAt, answersAt, tasks } = window.benchSeen ?? nothing
  const scripts = (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).filter(
    ({ name, responseEnd }) => new URL(name).pathname.endsWith('.js') && responseEnd <= answersAt,
  )
  return {
    readyMs: readyAt,
    answersMs: answersAt,
    scriptBytes: scripts.reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0),
    blockingMs: tasks
      .filter(({ startTime }) => startTime < answersAt + settle)
      .reduce((ms, { duration }) => ms + Math.max(0, duration - 50), 0),
  }
}

async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 1_048_576
}

const textOf = (page: Page) => page.evaluate(() => document.body?.innerText.slice(0, 200) ?? '').catch(() => 'no page')
