/**
 * A3: a user is changed through the real server (session, permission, key, version, trail and stored answer, in one
 * transaction) against a bare hand-written UPDATE of the same row, on the same engine, under the same load.
 */
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { databaseFolder } from '#server/db/embedded/data-folder.ts'
import { asSuperuser, postgresBin, startCluster } from '#tests/support/server/postgres.ts'
import { type Server, startServer } from './server-process.ts'
import { type Bench, type Figure, median, ratio } from './figures.ts'
import { type Client, type Load, load } from './load.ts'
import { bareBearer, companies, moreCompanies, secret, type Session, signIn, usersOf, type UserOf } from './world.ts'

const runMs = 3000
/** Until the code of both sides is compiled for what it does here: in a shorter one the larger program is still half cold. */
const warmMs = 8000
const runs = 5
const ready = { path: '/health/ready' }
const signed = { authorization: bareBearer() }

interface Pair {
  portal: Server
  bare: Server
}
type Tell = (line: string) => void

async function onPostgres(tell: Tell): Promise<Figure[]> {
  const bin = postgresBin()
  const limits = { unit: 'x', better: 'more', limit: 0.12 } as const
  const what = 'user update vs bare UPDATE, PostgreSQL'
  if (bin === null) return [{ id: 'A3', what, ...limits, value: null, note: 'PostgreSQL is not installed here' }]
  // Commits are durable, as they are by default.
  const cluster = await startCluster(bin, { durable: true })
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  try {
    await asSuperuser(cluster.url, 'postgres', ['create database bench_portal'])
    const env = { DATABASE_URL: `${cluster.url}/bench_portal`, DATA_DIR: folder, DEMO: '1', REQUEST_FACTOR: '1000' }
    await (await startServer('main.ts', env, ready)).stop()
    await asSuperuser(cluster.url, 'bench_portal', [...moreCompanies, 'vacuum analyze'])
    await asSuperuser(cluster.url, 'postgres', ['create database bench_bare template bench_portal'])
    const portal = await startServer('main.ts', env, ready)
    const bare = await startBare({ DATABASE_URL: `${cluster.url}/bench_bare` })
    const measured = await compare({ portal, bare }, tell)
    await Promise.all([portal.stop(), bare.stop()])
    return [{ id: 'A3', what, ...limits, ...measured }]
  } finally {
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function embedded(tell: Tell): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  const copy = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  try {
    const env = { DATA_DIR: folder, DEMO: '1', REQUEST_FACTOR: '1000' }
    await (await startServer('main.ts', env, ready)).stop()
    const database = await PGlite.create({ dataDir: databaseFolder(folder) })
    for (const statement of moreCompanies) await database.exec(statement)
    await database.close()
    await cp(databaseFolder(folder), copy, { recursive: true })
    const portal = await startServer('main.ts', env, ready)
    const bare = await startBare({ FOLDER: copy })
    const measured = await compare({ portal, bare }, tell)
    await Promise.all([portal.stop(), bare.stop()])
    const what = 'user update vs bare UPDATE, embedded database'
    return [{ id: 'A3', what, unit: 'x', better: 'more', limit: 0.08, ...measured }]
  } finally {
    await Promise.all([folder, copy].map((path) => rm(path, { recursive: true, force: true })))
  }
}

const startBare = (env: Record<string, string>) =>
  startServer('bench/baseline-server.ts', { ...env, SECRET: secret }, { path: '/users/1', headers: signed })

async function driven({ url }: Server, clients: Client[], ms: number): Promise<Load> {
  const found = await load(url, clients, ms)
  if (Object.keys(found.failures).length > 0)
    throw new Error(`answers that are no success: ${JSON.stringify(found.failures)}`)
  return found
}

/** Runs of both in turn, by one connection for each company. */
async function compare({ portal, bare }: Pair, tell: Tell): Promise<{ value: number; note: string }> {
  const parts = await partsOf(portal.url)
  const ours: Load[] = []
  const floor: Load[] = []
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
  const rates = (loads: Load[]) => loads.map(({ perSecond }) => perSecond)
  return { value: ratio(rates(ours), rates(floor)), note: `${said(ours)} against ${said(floor)}` }
}

async function partsOf(url: string): Promise<{ session: Session; own: UserOf[] }[]> {
  return await Promise.all(
    Array.from({ length: companies }, async (_, n) => {
      const session = await signIn(url, `bench${n + 1}:user0@bench${n + 1}.example`)
      const own = (await usersOf(url, session)).filter(({ id }) => id !== session.userId)
      if (own.length === 0) throw new Error('the world of the bench has no users')
      return { session, own }
    }),
  )
}

function said(found: readonly Load[]): string {
  const of = (pick: (run: Load) => number) => median(found.map(pick))
  return `${of((run) => run.perSecond).toFixed(0)}/s (p99 ${of((run) => run.p99Ms).toFixed(1)} ms)`
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
