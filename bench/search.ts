/** Figures S1 and S2: search 100,000 users on the device, in Chromium, with the portal's own code. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openProfile } from '#tests/support/browser/browser.ts'
import { type Bench, type BenchFigure, median } from './figures.ts'
import { servePage } from './page-server.ts'

/** What a user types: names, an address, a number, pinyin, characters, several words, parts of words, and texts without a match. */
const texts = [
  'amelia chan',
  'user99999@',
  'zqy',
  'zhangwei',
  '环球',
  '98765',
  'wong edwin',
  'mpany9',
  'qqqq',
  'xample user',
  'garcia 12',
]
const rounds = 10

async function measure(report: (line: string) => void): Promise<BenchFigure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-search-'))
  const site = await servePage(join(folder, 'site'), 'search/page.ts')
  const context = await openProfile(join(folder, 'profile'))
  try {
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${site.port}/`)
    await page.waitForFunction(() => 'searchBench' in globalThis)
    return await measureFigures(page, report)
  } finally {
    await context.close()
    await site.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureFigures(page: Page, report: (line: string) => void): Promise<BenchFigure[]> {
  await page.evaluate(() => globalThis.searchBench.fill())
  const { ms, blocks } = await page.evaluate(() => globalThis.searchBench.index())
  report(`indexed in ${ms.toFixed(0)} ms`)
  const keyTimes: { key: string; ms: number }[] = []
  for (const text of texts) {
    const results: { times: number[]; hitCount: number }[] = []
    for (let round = 0; round < rounds; round++)
      results.push(await page.evaluate((typedText) => globalThis.searchBench.type(typedText), text))
    // The median of several rounds, because another process may interrupt a single one.
    for (let length = 1; length <= text.length; length++)
      keyTimes.push({ key: text.slice(0, length), ms: median(results.map(({ times }) => times[length - 1] ?? 0)) })
    report(`${text}: ${results[0]?.hitCount} hits`)
  }
  const slowestKey = keyTimes.reduce((slowest, keyTime) => (keyTime.ms > slowest.ms ? keyTime : slowest))
  return [
    {
      id: 'S1',
      title: 'search 100,000 users after a key, slowest of all keys',
      value: slowestKey.ms,
      unit: 'ms',
      better: 'less',
      limit: 16,
      note: `median ${median(keyTimes.map(({ ms: keyMs }) => keyMs)).toFixed(1)} ms, slowest "${slowestKey.key}"`,
    },
    {
      id: 'S2',
      title: 'block of the page while 100,000 users are indexed, p90',
      value: blocks.toSorted((a, b) => a - b)[Math.floor(blocks.length * 0.9)] ?? null,
      unit: 'ms',
      better: 'less',
      limit: 16,
      note: `${(ms / 1000).toFixed(1)} s in total, longest block ${Math.max(...blocks).toFixed(0)} ms`,
    },
  ]
}

export const searchBench: Bench = { ids: ['S1', 'S2'], measure }
