/**
 * Figures B1 and B2: measure a list of 100,000 rows on the device, in Chromium, with the portal's own code. B1 compares it with
 * hand-written IndexedDB (one compound index per query, and `count()`) in the same page and run.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { openProfile } from '#tests/support/browser/browser.ts'
import { type Bench, type BenchFigure, median, ratio } from './figures.ts'
import { servePage } from './page-server.ts'

/** Number of rounds. The `warm` rounds come first and are not measured. */
const roundCounts = { compare: 90, click: 300, warm: 5 }

async function measure(report: (line: string) => void): Promise<BenchFigure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-lists-'))
  const site = await servePage(join(folder, 'site'), 'lists/page.ts')
  // The profile is on disk, as for users: a browser without a profile keeps its databases in memory.
  const context = await openProfile(join(folder, 'profile'))
  try {
    return await measureFigures(await openPage(context, site.port), report)
  } finally {
    await context.close()
    await site.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function openPage(context: BrowserContext, port: number): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${port}/`)
  await page.waitForFunction(() => 'listBench' in globalThis)
  return page
}

interface TimePair {
  portalMs: number
  rawMs: number
}

async function measureFigures(page: Page, report: (line: string) => void): Promise<BenchFigure[]> {
  const fillTimes = await page.evaluate(() => globalThis.listBench.fill())
  report(`filled in ${fillTimes.portalMs.toFixed(0)} ms, raw in ${fillTimes.rawMs.toFixed(0)} ms`)
  const pairs: TimePair[] = []
  for (let n = -roundCounts.warm; n < roundCounts.compare; n++) {
    const pair = await page.evaluate((round) => globalThis.listBench.compare(round), n + roundCounts.warm)
    if (n >= 0) pairs.push(pair)
  }
  const clickTimes = await measureClicks(page)
  const [portalTimes, rawTimes] = [pairs.map((pair) => pair.portalMs), pairs.map((pair) => pair.rawMs)]
  return [
    {
      id: 'B1',
      title: 'type and range of 100,000 rows, first page with exact count, vs raw',
      value: ratio(portalTimes, rawTimes),
      unit: 'x',
      better: 'less',
      limit: 0.25,
      note: `${median(portalTimes).toFixed(1)} ms against ${median(rawTimes).toFixed(1)}`,
    },
    {
      id: 'B2',
      title: 'any filter, order and page of 100,000 rows, p90',
      value: clickTimes.toSorted((a, b) => a - b)[Math.floor(clickTimes.length * 0.9)] ?? null,
      unit: 'ms',
      better: 'less',
      limit: 16,
      note: `median ${median(clickTimes).toFixed(1)} ms`,
    },
  ]
}

async function measureClicks(page: Page): Promise<number[]> {
  let state = 20_261_121
  const nextRandom = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const clickTimes: number[] = []
  for (let n = 0; n < roundCounts.click; n++) {
    const randoms = Array.from({ length: 9 }, nextRandom)
    clickTimes.push(await page.evaluate((values) => globalThis.listBench.measureClick(values), randoms))
  }
  return clickTimes
}

export const listsBench: Bench = { ids: ['B1', 'B2'], measure }
