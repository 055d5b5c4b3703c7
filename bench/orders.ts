/**
 * Figure C1: compares the time to read a page of the contract list among 10,000 orders and among 10, on the real server with PostgreSQL.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAsSuperuser, postgresBin, startCluster } from '#tests/support/server/postgres.ts'
import { startServer } from './server-process.ts'
import { type Bench, type BenchFigure, median, ratio } from './figures.ts'
import { extraCompaniesSql, type BenchSession, signIn } from './world.ts'

const largeCount = 10_000
const smallCount = 10
const roundCount = 60
const readyCheck = { path: '/health/ready' }

/** Creates services of a company, each with a copy of the first paid order of the demo data, a minute apart. */
const buildOrdersSql = (company: string, count: number) => `
  insert into service_order select (jsonb_populate_record(o, jsonb_build_object(
      'id', nextval(pg_get_serial_sequence('service_order', 'id')), 'company_id', c.id, 'code', 'svc' || n,
      'name', 'Service ' || n, 'name_key', 'service ' || n, 'create_time', n * 60000, 'is_listed', true))).*
    from company c, generate_series(1, ${count}) n, service_order o
    where c.code = '${company}' and o.id = (select min(id) from service_order where stored = 'paid')`

interface OrderView {
  name: string
  query: string
  /** First of the ten pages that are read. */
  firstPage: number
}
const orderViews: readonly OrderView[] = [
  { name: 'newest first', query: '', firstPage: 1 },
  { name: 'by name', query: '&sortField=name', firstPage: 1 },
  { name: 'the last ones', query: '', firstPage: 990 },
]

async function measure(report: (line: string) => void): Promise<BenchFigure[]> {
  const bin = postgresBin()
  const figure = {
    id: 'C1',
    title: 'a page of 10,000 orders vs of 10, the slowest of three orders',
    unit: 'x',
    better: 'less',
    limit: 2.5,
  } as const
  if (bin === null) return [{ ...figure, value: null, note: 'PostgreSQL is not installed' }]
  const cluster = await startCluster(bin)
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  try {
    await runAsSuperuser(cluster.url, 'postgres', ['create database bench_orders'])
    const env = { DATABASE_URL: `${cluster.url}/bench_orders`, DATA_DIR: folder, DEMO: '1', REQUEST_FACTOR: '1000' }
    await (await startServer('main.ts', env, readyCheck)).stop()
    await runAsSuperuser(cluster.url, 'bench_orders', [
      ...extraCompaniesSql,
      `update portal_user set orders = true where email like 'user0@bench%'`,
      buildOrdersSql('bench1', largeCount),
      buildOrdersSql('bench2', smallCount),
      'vacuum analyze',
    ])
    const server = await startServer('main.ts', env, readyCheck)
    const [large, small] = await Promise.all(
      ['bench1', 'bench2'].map((code) => signIn(server.url, `${code}:user0@${code}.example`)),
    )
    const results: { value: number; note: string }[] = []
    for (const { name, query, firstPage } of orderViews) {
      const times = { large: [] as number[], small: [] as number[] }
      for (let round = 0; round < roundCount; round++) {
        times.large.push(
          await measureRequest(server.url, large as BenchSession, `${query}&page=${firstPage + (round % 10)}`),
        )
        times.small.push(await measureRequest(server.url, small as BenchSession, query))
      }
      const [largeTimes, smallTimes] = [times.large.slice(10), times.small.slice(10)]
      const note = `${median(largeTimes).toFixed(1)} ms against ${median(smallTimes).toFixed(1)}`
      report(`${name}: ${note}`)
      results.push({ value: ratio(largeTimes, smallTimes), note: `${name}: ${note}` })
    }
    await server.stop()
    const [slowestResult] = results.toSorted((a, b) => b.value - a.value)
    return [{ ...figure, value: null, ...slowestResult }]
  } finally {
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the time in ms from the request to the last byte. */
async function measureRequest(url: string, { bearer, companyId }: BenchSession, query: string): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(`${url}/api/company/${companyId}/sorder?results=10${query}`, {
    headers: { authorization: bearer },
  })
  const { data } = (await response.json()) as { data?: unknown[] }
  if (data?.length !== 10) throw new Error(`the response to a page of ten orders has the status ${response.status}`)
  return performance.now() - startedAt
}

export const ordersBench: Bench = { ids: ['C1'], measure }
