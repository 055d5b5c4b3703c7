/**
 * B1, B2: a list of 100,000 rows kept on the device, in Chromium, through the product's own files, against IndexedDB
 * by hand with one compound index for each question and `count()`, in the same page and run.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { openProfile } from '#tests/support/browser/browser.ts'
import { type Bench, type Figure, median, ratio } from './figures.ts'
import { servePage } from './page-server.ts'

/** The first few only warm up. */
const rounds = { compare: 90, click: 300, warm: 5 }

async function measure(tell: (line: string) => void): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-lists-'))
  const site = await servePage(join(folder, 'site'), 'lists/page.ts')
  // On disk, as people have it: a browser without a profile keeps its databases in memory.
  const context = await openProfile(join(folder, 'profile'))
  try {
    return await figures(await openPage(context, site.port), tell)
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

interface Pair {
  ours: number
  raw: number
}

async function figures(page: Page, tell: (line: string) => void): Promise<Figure[]> {
  const filled = await page.evaluate(() => globalThis.listBench.fill())
  tell(`filled in ${filled.ours.toFixed(0)} ms, raw in ${filled.raw.toFixed(0)} ms`)
  const pairs: Pair[] = []
  for (let n = -rounds.warm; n < rounds.compare; n++) {
    const pair = await page.evaluate((turn) => globalThis.listBench.compare(turn), n + rounds.warm)
    if (n >= 0) pairs.push(pair)
  }
  const clicks = await clicked(page)
  const [ours, raw] = [pairs.map((pair) => pair.ours), pairs.map((pair) => pair.raw)]
  return [
    {
      id: 'B1',
      what: 'type and range of 100,000 rows, first page with exact count, vs raw',
      value: ratio(ours, raw),
      unit: 'x',
      better: 'less',
      limit: 0.25,
      note: `${median(ours).toFixed(1)} ms against ${median(raw).toFixed(1)}`,
    },
    {
      id: 'B2',
      what: 'any filter, order and page of 100,000 rows, p90',
      value: clicks.toSorted((a, b) => a - b)[Math.floor(clicks.length * 0.9)] ?? null,
      unit: 'ms',
      better: 'less',
      limit: 16,
      note: `median ${median(clicks).toFixed(1)} ms`,
    },
  ]
}

async function clicked(page: Page): Promise<number[]> {
  let state = 20_261_121
  const chance = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const clicks: number[] = []
  for (let n = 0; n < rounds.click; n++) {
    const dice = Array.from({ length: 9 }, chance)
    clicks.push(await page.evaluate((given) => globalThis.listBench.click(given), dice))
  }
  return clicks
}

export const lists: Bench = { ids: ['B1', 'B2'], measure }
