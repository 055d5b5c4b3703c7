/** T1 to T5: 100,000 entries of an audit trail kept on the device, in Chromium, through the product's own pipeline. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openProfile } from '#tests/support/browser/browser.ts'
import { type Bench, type Figure, median } from './figures.ts'
import { entryCount, serveLog } from './kept-trail/log.ts'
import { servePage } from './page-server.ts'

const rounds = 60

async function measure(tell: (line: string) => void): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-kept-'))
  const site = await servePage(join(folder, 'site'), 'kept-trail/page.ts', serveLog())
  // On disk, as people have it.
  const context = await openProfile(join(folder, 'profile'))
  try {
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${site.port}/`)
    await page.waitForFunction(() => 'keptBench' in globalThis)
    return await figures(page, tell)
  } finally {
    await context.close()
    await site.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const day = (at: number) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10)
const all = { dateFrom: '2026-01-01', dateTo: '2026-06-30' }
const codes = ['company', 'user', 'order', 'service', 'backup', 'system']
const operations = ['create', 'update', 'delete', 'enable', 'pay', 'login']

/** Any click: some filters, either order, some page. */
function clickAt(n: number): object {
  const from = (n * 37) % 150
  return {
    ...(n % 3 === 0 ? all : { dateFrom: day(from), dateTo: day(from + 7 + (n % 24)) }),
    ...(n % 2 === 0 ? { code: codes[n % codes.length] } : {}),
    ...(n % 5 === 0 ? { operation: operations[n % operations.length] } : {}),
    ...(n % 7 === 0 ? { status: -1 } : {}),
    ...(n % 4 === 0 ? { sortOrder: 'asc' } : {}),
    page: 1 + (n % 6),
    results: 20,
  }
}
const texts = ['svc4711', 'chen', '陈美玲', 'user99', 'Company 17', 'nothing of that kind', 'new.example', 'ada']

const p90 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.9)] ?? null
const noteOf = (times: readonly number[]) => `median ${median([...times]).toFixed(1)} ms`

async function figures(page: Page, tell: (line: string) => void): Promise<Figure[]> {
  const kept = await page.evaluate((entries) => globalThis.keptBench.keep(entries), entryCount)
  tell(`kept in ${(kept / 1_000).toFixed(1)} s`)
  const list = async (query: object) => (await page.evaluate((one) => globalThis.keptBench.list(one), query)).ms
  const [clicks, searches, charts]: [number[], number[], number[]] = [[], [], []]
  for (let n = 0; n < rounds; n += 1) clicks.push(await list(clickAt(n)))
  for (let n = 0; n < rounds; n += 1) searches.push(await list({ ...all, searchText: texts[n % texts.length] }))
  for (let n = 0; n < rounds; n += 1)
    charts.push(
      (await page.evaluate((one) => globalThis.keptBench.activity(one), n % 2 === 0 ? all : { ...all, status: -1 })).ms,
    )
  const proven = await page.evaluate(() => globalThis.keptBench.proveAll())
  const figure = (id: string, what: string, value: number | null, limit: number, note: string): Figure => ({
    id,
    what,
    value,
    unit: 'ms',
    better: 'less',
    limit,
    note,
  })
  return [
    figure('T1', 'first keep of 100,000 entries of an audit trail, proven', kept, 20_000, 'from this machine'),
    figure('T2', 'any filter, order and page of them without a network, p90', p90(clicks), 100, noteOf(clicks)),
    figure('T3', 'free text through all of them, p90', p90(searches), 300, noteOf(searches)),
    figure('T4', 'activity by day of half a year, p90', p90(charts), 100, noteOf(charts)),
    figure(
      'T5',
      'all of them proven',
      proven.ms,
      5_000,
      `${proven.entries} entries; the page stood still for ${proven.frozenMs.toFixed(0)} ms at most`,
    ),
  ]
}

export const keptTrailBench: Bench = { ids: ['T1', 'T2', 'T3', 'T4', 'T5'], measure }
