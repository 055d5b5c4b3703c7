/**
 * Figure A3: compares changing a user on the real server (session, permission, idempotency key, version, audit trail and stored response,
 * in one transaction) with a hand-written UPDATE of the same row, on the same database under the same load.
 */
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { getDatabaseFolder } from '#server/db/embedded/data-folder.ts'
import { runAsSuperuser, postgresBin, startCluster } from '#tests/support/server/postgres.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { type Bench, type BenchFigure, median, ratio } from './figures.ts'
import { type LoadClient, type LoadResult, runLoad } from './load.ts'
import {
  createBaselineBearer,
  companyCount,
  extraCompaniesSql,
  secret,
  type BenchSession,
  signIn,
  listUsers,
  type BenchUser,
} from './world.ts'

const runMs = 3000
/**
 * Warm-up time in ms. It is long enough for the JIT to compile the code of both servers. A shorter time is not enough for the larger
 * program.
 */
const warmMs = 8000
const runCount = 5
const readyCheck = { path: '/health/ready' }
const signedHeaders = { authorization: createBaselineBearer() }

interface ServerPair {
  portal: ServerProcess
  baseline: ServerProcess
}
type ReportLine = (line: string) => void

async function measureOnPostgres(report: ReportLine): Promise<BenchFigure[]> {
  const bin = postgresBin()
  const limits = { unit: 'x', better: 'more', limit: 0.12 } as const
  const title = 'user update vs bare UPDATE, PostgreSQL'
  if (bin === null) return [{ id: 'A3', title, ...limits, value: null, note: 'PostgreSQL is not installed' }]
  // Commits are durable, as by default.
  const cluster = await startCluster(bin, { durable: true })
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  try {
    await runAsSuperuser(cluster.url, 'postgres', ['create database bench_portal'])
    const env = { DATABASE_URL: `${cluster.url}/bench_portal`, DATA_DIR: folder, DEMO: '1', REQUEST_FACTOR: '1000' }
    await (await startServer('main.ts', env, readyCheck)).stop()
    await runAsSuperuser(cluster.url, 'bench_portal', [...extraCompaniesSql, 'vacuum analyze'])
    await runAsSuperuser(cluster.url, 'postgres', ['create database bench_bare template bench_portal'])
    const portal = await startServer('main.ts', env, readyCheck)
    const baseline = await startBaseline({ DATABASE_URL: `${cluster.url}/bench_bare` })
    const result = await compare({ portal, baseline }, report)
    await Promise.all([portal.stop(), baseline.stop()])
    return [{ id: 'A3', title, ...limits, ...result }]
  } finally {
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureEmbedded(report: ReportLine): Promise<BenchFigure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  const copy = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  try {
    const env = { DATA_DIR: folder, DEMO: '1', REQUEST_FACTOR: '1000' }
    await (await startServer('main.ts', env, readyCheck)).stop()
    const database = await PGlite.create({ dataDir: getDatabaseFolder(folder) })
    for (const statement of extraCompaniesSql) await database.exec(statement)
    await database.close()
    await cp(getDatabaseFolder(folder), copy, { recursive: true })
    const portal = await startServer('main.ts', env, readyCheck)
    const baseline = await startBaseline({ FOLDER: copy })
    const result = await compare({ portal, baseline }, report)
    await Promise.all([portal.stop(), baseline.stop()])
    const title = 'user update vs bare UPDATE, embedded database'
    return [{ id: 'A3', title, unit: 'x', better: 'more', limit: 0.08, ...result }]
  } finally {
    await Promise.all([folder, copy].map((path) => rm(path, { recursive: true, force: true })))
  }
}

const startBaseline = (env: Record<string, string>) =>
  startServer('bench/baseline-server.ts', { ...env, SECRET: secret }, { path: '/users/1', headers: signedHeaders })

async function runClients({ url }: ServerProcess, clients: LoadClient[], ms: number): Promise<LoadResult> {
  const result = await runLoad(url, clients, ms)
  if (Object.keys(result.failures).length > 0) throw new Error(`failed responses: ${JSON.stringify(result.failures)}`)
  return result
}

/** Runs both servers in turn, with one connection per company. */
async function compare({ portal, baseline }: ServerPair, report: ReportLine): Promise<{ value: number; note: string }> {
  const sessions = await signInAll(portal.url)
  const portalLoads: LoadResult[] = []
  const baselineLoads: LoadResult[] = []
  for (let run = 0; run <= runCount; run++) {
    const ms = run === 0 ? warmMs : runMs
    const baselineLoad = await runClients(
      baseline,
      sessions.map(({ users }) => createBaselineClient(users)),
      ms,
    )
    const portalLoad = await runClients(
      portal,
      sessions.map(({ session, users }) => createPortalClient(session, users)),
      ms,
    )
    // The first run only warms up.
    if (run === 0) continue
    baselineLoads.push(baselineLoad)
    portalLoads.push(portalLoad)
    report(`${formatLoads([portalLoad])} against ${formatLoads([baselineLoad])}`)
  }
  const getRates = (loads: LoadResult[]) => loads.map(({ perSecond }) => perSecond)
  return {
    value: ratio(getRates(portalLoads), getRates(baselineLoads)),
    note: `${formatLoads(portalLoads)} against ${formatLoads(baselineLoads)}`,
  }
}

async function signInAll(url: string): Promise<{ session: BenchSession; users: BenchUser[] }[]> {
  return await Promise.all(
    Array.from({ length: companyCount }, async (_, n) => {
      const session = await signIn(url, `bench${n + 1}:user0@bench${n + 1}.example`)
      const users = (await listUsers(url, session)).filter(({ id }) => id !== session.userId)
      if (users.length === 0) throw new Error('the benchmark data has no users')
      return { session, users }
    }),
  )
}

function formatLoads(loads: readonly LoadResult[]): string {
  const getMedian = (pick: (run: LoadResult) => number) => median(loads.map(pick))
  return `${getMedian((run) => run.perSecond).toFixed(0)}/s (p99 ${getMedian((run) => run.p99Ms).toFixed(1)} ms)`
}

/**
 * Changes the users of a company one after another. Each change is based on the latest version that this client received, and sets another
 * value.
 */
function createPortalClient({ bearer, userId, companyId }: BenchSession, users: BenchUser[]): LoadClient {
  let nextIndex = 0
  let user = users[0]
  return {
    next() {
      user = users[nextIndex++ % users.length]
      return {
        method: 'PUT',
        path: `/api/m18s/company-user/${user?.id}`,
        headers: {
          authorization: bearer,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
          'for-user': `${companyId}:${userId}`,
          'if-match': `"${user?.row_version}"`,
        },
        body: JSON.stringify({ alert: !user?.alert }),
      }
    },
    onResponse({ status, body }) {
      if (status === 200 && user) Object.assign(user, JSON.parse(body))
    },
  }
}

function createBaselineClient(users: BenchUser[]): LoadClient {
  let nextIndex = 0
  return {
    next: () => ({
      method: 'PUT',
      path: `/user/${users[nextIndex++ % users.length]?.id}`,
      headers: { ...signedHeaders, 'content-type': 'application/json' },
      body: JSON.stringify({ alert: nextIndex % 2 === 0 }),
    }),
  }
}

export const updateBench: Bench = {
  ids: ['A3'],
  measure: async (report) => [...(await measureOnPostgres(report)), ...(await measureEmbedded(report))],
}
