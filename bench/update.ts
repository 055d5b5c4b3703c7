/**
 * A3: a user is changed through the real server (session, permission, key, version, trail and stored answer, in one
 * transaction) against a bare hand-written UPDATE of the same row, on the same engine, under the same load.
 */
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { databaseFolder } from '#server/db/embedded/folder.ts'
import { asSuperuser, postgresBin, startCluster } from '#tests/support/postgres.ts'
import { databaseCpuMs, type Server, startServer } from './child.ts'
import { type Bench, type Figure, median, ratio } from './figures.ts'
import { type Client, type Load, load } from './load.ts'
import { bareBearer, companies, moreCompanies, secret, type Session, signIn, usersOf, type UserOf } from './world.ts'

const runMs = 3000
/** Until the code of both sides is compiled for what it does here: in a shorter one the larger program is still half cold. */
const warmMs = 8000
const runs = 5
const ready = { path: '/health/ready' }
const signed = { authorization: bareBearer() }

/** A server, and the database it works on where that is a process of its own. */
interface Side {
  server: Server
  database: string | null
}
interface Pair {
  portal: Side
  bare: Side
}
type Tell = (line: string) => void

async function onPostgres(tell: Tell): Promise<Figure[]> {
  const bin = postgresBin()
  const limits = { unit: 'x', better: 'more', hard: 0.35, stretch: 0.5 } as const
  const what = 'user update vs bare UPDATE, PostgreSQL'
  if (bin === null) return [{ id: 'A3', what, ...limits, value: null, note: 'PostgreSQL is not installed here' }]
  // Commits are durable, as they are by default.
  const cluster = await startCluster(bin, { durable: true })
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  try {
    await asSuperuser(cluster.url, 'postgres', ['create database bench_portal'])
    const env = { DATABASE_URL: `${cluster.url}/bench_portal`, DATA_DIR: folder, DEMO: '1' }
    await (await startServer('server/main.ts', env, ready)).stop()
    await asSuperuser(cluster.url, 'bench_portal', [...moreCompanies, 'vacuum analyze'])
    await asSuperuser(cluster.url, 'postgres', ['create database bench_bare template bench_portal'])
    const portal = await startServer('server/main.ts', env, ready)
    const bare = await startBare({ DATABASE_URL: `${cluster.url}/bench_bare` })
    const pair = {
      portal: { server: portal, database: 'bench_portal' },
      bare: { server: bare, database: 'bench_bare' },
    }
    const spread = await compare(pair, companies, tell)
    const alone = await compare(pair, 1, tell)
    await Promise.all([portal.stop(), bare.stop()])
    return [
      { id: 'A3', what, ...limits, ...spread },
      { id: 'A3', what: `${what}, all in one company`, ...limits, hard: null, stretch: null, ...alone },
    ]
  } finally {
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function embedded(tell: Tell): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  const copy = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  try {
    const env = { DATA_DIR: folder, DEMO: '1' }
    await (await startServer('server/main.ts', env, ready)).stop()
    const database = await PGlite.create({ dataDir: databaseFolder(folder) })
    for (const statement of moreCompanies) await database.exec(statement)
    await database.close()
    await cp(databaseFolder(folder), copy, { recursive: true })
    const portal = await startServer('server/main.ts', env, ready)
    const bare = await startBare({ FOLDER: copy })
    const pair = { portal: { server: portal, database: null }, bare: { server: bare, database: null } }
    const measured = await compare(pair, companies, tell)
    await Promise.all([portal.stop(), bare.stop()])
    const what = 'user update vs bare UPDATE, embedded database'
    return [{ id: 'A3', what, unit: 'x', better: 'more', hard: 0.15, stretch: 0.35, ...measured }]
  } finally {
    await Promise.all([folder, copy].map((path) => rm(path, { recursive: true, force: true })))
  }
}

const startBare = (env: Record<string, string>) =>
  startServer('bench/bare.ts', { ...env, SECRET: secret }, { path: '/users/1', headers: signed })

interface Run extends Load {
  /** Processor time for one request: server and database. */
  cpuMs: number
}

async function driven({ server, database }: Side, clients: Client[], ms: number): Promise<Run> {
  const spent = () => (server.cpuMs() ?? Number.NaN) + (database === null ? 0 : databaseCpuMs(database))
  const before = spent()
  const found = await load(server.url, clients, ms)
  if (Object.keys(found.failures).length > 0)
    throw new Error(`answers that are no success: ${JSON.stringify(found.failures)}`)
  return { ...found, cpuMs: (spent() - before) / (found.perSecond * (ms / 1000)) }
}

/** Runs of both in turn, by one connection for each company, or all of them in one. */
async function compare({ portal, bare }: Pair, spread: number, tell: Tell): Promise<{ value: number; note: string }> {
  const parts = await partsOf(portal.server.url, spread)
  const ours: Run[] = []
  const floor: Run[] = []
  for (let run = 0; run <= runs; run++) {
    const ms = run === 0 ? warmMs : runMs
    const least = await driven(
      bare,
      parts.map(({ own }) => bareClient(own)),
      ms,
    )
    const whole = await driven(
      portal,
      parts.map(({ session, own }) => portalClient(session, own)),
      ms,
    )
    // The first is for warming up.
    if (run === 0) continue
    floor.push(least)
    ours.push(whole)
    tell(`${said([whole])} against ${said([least])}`)
  }
  const rates = (loads: Run[]) => loads.map(({ perSecond }) => perSecond)
  return { value: ratio(rates(ours), rates(floor)), note: `${said(ours)} against ${said(floor)}` }
}

async function partsOf(url: string, spread: number): Promise<{ session: Session; own: UserOf[] }[]> {
  const sessions = await Promise.all(
    Array.from({ length: spread }, (_, n) => signIn(url, `bench${n + 1}:user0@bench${n + 1}.example`)),
  )
  const users = await Promise.all(sessions.map((session) => usersOf(url, session)))
  return Array.from({ length: companies }, (_, n) => {
    const session = sessions[n % spread]
    const own = (users[n % spread] ?? []).filter(
      ({ id }, at) => id !== session?.userId && (spread > 1 || at % companies === n),
    )
    if (!session || own.length === 0) throw new Error('the world of the bench has no users')
    return { session, own }
  })
}

function said(found: readonly Run[]): string {
  const of = (pick: (run: Run) => number) => median(found.map(pick))
  return `${of((run) => run.perSecond).toFixed(0)}/s (p99 ${of((run) => run.p99Ms).toFixed(1)} ms, ${of((run) => run.cpuMs).toFixed(2)} ms of processor)`
}

/** Changes its users in turn, each on the version it last saw, each to what it was not. */
function portalClient({ bearer, userId, companyId }: Session, own: UserOf[]): Client {
  let turn = 0
  let at = own[0]
  return {
    next() {
      at = own[turn++ % own.length]
      return {
        method: 'PUT',
        path: `/api/m18s/company-user/${at?.id}`,
        headers: {
          authorization: bearer,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
          'for-user': `${companyId}:${userId}`,
          'if-match': `"${at?.row_version}"`,
        },
        body: JSON.stringify({ alert: !at?.alert }),
      }
    },
    answered({ status, body }) {
      if (status === 200 && at) Object.assign(at, JSON.parse(body))
    },
  }
}

function bareClient(own: UserOf[]): Client {
  let turn = 0
  return {
    next: () => ({
      method: 'PUT',
      path: `/user/${own[turn++ % own.length]?.id}`,
      headers: { ...signed, 'content-type': 'application/json' },
      body: JSON.stringify({ alert: turn % 2 === 0 }),
    }),
  }
}

export const update: Bench = {
  ids: ['A3'],
  measure: async (tell) => [...(await onPostgres(tell)), ...(await embedded(tell))],
}
