/** Figures T1 to T5: measure 100,000 entries of an audit trail on the device, in Chromium, with the portal's own pipeline. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openProfile } from '#tests/support/browser/browser.ts'
import { type Bench, type BenchFigure, median } from './figures.ts'
import { entryCount, serveLog } from './stored-trail/log.ts'
import { servePage } from './page-server.ts'

const roundCount = 60

async function measure(report: (line: string) => void): Promise<BenchFigure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-kept-'))
  const site = await servePage(join(folder, 'site'), 'stored-trail/page.ts', serveLog())
  // The profile is on disk, as for users.
  const context = await openProfile(join(folder, 'profile'))
  try {
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${site.port}/`)
    await page.waitForFunction(() => 'trailBench' in globalThis)
    return await measureFigures(page, report)
  } finally {
    await context.close()
    await site.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const formatDay = (dayIndex: number) => new Date(Date.UTC(2026, 0, 1 + dayIndex)).toISOString().slice(0, 10)
const halfYear = { dateFrom: '2026-01-01', dateTo: '2026-06-30' }
const codes = ['company', 'user', 'order', 'service', 'backup', 'system']
const operations = ['create', 'update', 'delete', 'enable', 'pay', 'login']

/** Builds the query of a random click: some filters, either sort order, some page. */
function buildQuery(n: number): object {
  const from = (n * 37) % 150
  return {
    ...(n % 3 === 0 ? halfYear : { dateFrom: formatDay(from), dateTo: formatDay(from + 7 + (n % 24)) }),
    ...(n % 2 === 0 ? { code: codes[n % codes.length] } : {}),
    ...(n % 5 === 0 ? { operation: operations[n % operations.length] } : {}),
    ...(n % 7 === 0 ? { status: -1 } : {}),
    ...(n % 4 === 0 ? { sortOrder: 'asc' } : {}),
    page: 1 + (n % 6),
    results: 20,
  }
}
const texts = ['svc4711', 'chen', '陈美玲', 'user99', 'Company 17', 'nothing of that kind', 'new.example', 'ada']

const getP90 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.9)] ?? null
const formatNote = (times: readonly number[]) => `median ${median([...times]).toFixed(1)} ms`

async function measureFigures(page: Page, report: (line: string) => void): Promise<BenchFigure[]> {
  const fillMs = await page.evaluate((entries) => globalThis.trailBench.fillTrail(entries), entryCount)
  report(`stored in ${(fillMs / 1_000).toFixed(1)} s`)
  const list = async (query: object) => (await page.evaluate((query) => globalThis.trailBench.list(query), query)).ms
  const [clicks, searches, charts]: [number[], number[], number[]] = [[], [], []]
  for (let n = 0; n < roundCount; n += 1) clicks.push(await list(buildQuery(n)))
  for (let n = 0; n < roundCount; n += 1)
    searches.push(await list({ ...halfYear, searchText: texts[n % texts.length] }))
  for (let n = 0; n < roundCount; n += 1)
    charts.push(
      (
        await page.evaluate(
          (query) => globalThis.trailBench.activity(query),
          n % 2 === 0 ? halfYear : { ...halfYear, status: -1 },
        )
      ).ms,
    )
  const proof = await page.evaluate(() => globalThis.trailBench.proveAll())
  const createFigure = (id: string, title: string, value: number | null, limit: number, note: string): BenchFigure => ({
    id,
    title,
    value,
    unit: 'ms',
    better: 'less',
    limit,
    note,
  })
  return [
    createFigure('T1', '100,000 entries of an audit trail stored and proven', fillMs, 20_000, 'server on this machine'),
    createFigure(
      'T2',
      'any filter, order and page of them without a network, p90',
      getP90(clicks),
      100,
      formatNote(clicks),
    ),
    createFigure('T3', 'free text through all of them, p90', getP90(searches), 300, formatNote(searches)),
    createFigure('T4', 'activity by day of half a year, p90', getP90(charts), 100, formatNote(charts)),
    createFigure(
      'T5',
      'all of them proven',
      proof.ms,
      5_000,
      `${proof.entries} entries; the page was blocked for ${proof.frozenMs.toFixed(0)} ms at most`,
    ),
  ]
}

export const storedTrailBench: Bench = { ids: ['T1', 'T2', 'T3', 'T4', 'T5'], measure }
