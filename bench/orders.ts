/** C: the contract list of 10,000 orders pages as fast as one of 10, by the real server on PostgreSQL. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asSuperuser, postgresBin, startCluster } from '#tests/support/server/postgres.ts'
import { startServer } from './server-process.ts'
import { type Bench, type Figure, median, ratio } from './figures.ts'
import { moreCompanies, type Session, signIn } from './world.ts'

const many = 10_000
const few = 10
const rounds = 60
const ready = { path: '/health/ready' }

/** Services of a company, each with the same order of the demo world in force, a minute apart. */
const ordersOf = (company: string, count: number) => `
  insert into service_order select (jsonb_populate_record(o, jsonb_build_object(
      'id', nextval(pg_get_serial_sequence('service_order', 'id')), 'company_id', c.id, 'code', 'svc' || n,
      'name', 'Service ' || n, 'name_key', 'service ' || n, 'create_time', n * 60000, 'shown', true))).*
    from company c, generate_series(1, ${count}) n, service_order o
    where c.code = '${company}' and o.id = (select min(id) from service_order where stored = 'paid')`

interface View {
  name: string
  query: string
  /** The first of the ten pages that are turned. */
  from: number
}
const views: readonly View[] = [
  { name: 'newest first', query: '', from: 1 },
  { name: 'by name', query: '&sortField=name', from: 1 },
  { name: 'the last ones', query: '', from: 990 },
]

async function measure(tell: (line: string) => void): Promise<Figure[]> {
  const bin = postgresBin()
  const figure = {
    id: 'C1',
    what: 'a page of 10,000 orders vs of 10, the slowest of three orders',
    unit: 'x',
    better: 'less',
    limit: 2.5,
  } as const
  if (bin === null) return [{ ...figure, value: null, note: 'PostgreSQL is not installed here' }]
  const cluster = await startCluster(bin)
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  try {
    await asSuperuser(cluster.url, 'postgres', ['create database bench_orders'])
    const env = { DATABASE_URL: `${cluster.url}/bench_orders`, DATA_DIR: folder, DEMO: '1', REQUEST_FACTOR: '1000' }
    await (await startServer('main.ts', env, ready)).stop()
    await asSuperuser(cluster.url, 'bench_orders', [
      ...moreCompanies,
      `update portal_user set orders = true where email like 'user0@bench%'`,
      ordersOf('bench1', many),
      ordersOf('bench2', few),
      'vacuum analyze',
    ])
    const server = await startServer('main.ts', env, ready)
    const [large, small] = await Promise.all(
      ['bench1', 'bench2'].map((code) => signIn(server.url, `${code}:user0@${code}.example`)),
    )
    const found: { value: number; note: string }[] = []
    for (const { name, query, from } of views) {
      const times = { large: [] as number[], small: [] as number[] }
      for (let round = 0; round < rounds; round++) {
        times.large.push(await timed(server.url, large as Session, `${query}&page=${from + (round % 10)}`))
        times.small.push(await timed(server.url, small as Session, query))
      }
      const [ours, floor] = [times.large.slice(10), times.small.slice(10)]
      const note = `${median(ours).toFixed(1)} ms against ${median(floor).toFixed(1)}`
      tell(`${name}: ${note}`)
      found.push({ value: ratio(ours, floor), note: `${name}: ${note}` })
    }
    await server.stop()
    const [slowest] = found.toSorted((a, b) => b.value - a.value)
    return [{ ...figure, value: null, ...slowest }]
  } finally {
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** In ms, from the asking to the last byte. */
async function timed(url: string, { bearer, companyId }: Session, query: string): Promise<number> {
  const began = performance.now()
  const answer = await fetch(`${url}/api/company/${companyId}/sorder?results=10${query}`, {
    headers: { authorization: bearer },
  })
  const { data } = (await answer.json()) as { data?: unknown[] }
  if (data?.length !== 10) throw new Error(`a page of ten orders was answered with ${answer.status}`)
  return performance.now() - began
}

export const orders: Bench = { ids: ['C1'], measure }
