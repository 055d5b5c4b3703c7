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
import { type Server, startServer } from './child.ts'
import { type Bench, type Figure, ratio } from './figures.ts'
import { type Client, type Load, load } from './load.ts'
import { bareBearer, companies, moreCompanies, secret, type Session, signIn, usersOf, type UserOf } from './world.ts'

const runMs = 3000
const runs = 3
const ready = { path: '/health/ready' }
const signed = { authorization: bareBearer() }

interface Pair {
  portal: Server
  bare: Server
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
    await asSuperuser(cluster.url, 'postgres', ['create database portal'])
    const env = { DATABASE_URL: `${cluster.url}/portal`, DATA_DIR: folder, DEMO: '1' }
    await (await startServer('server/main.ts', env, ready)).stop()
    await asSuperuser(cluster.url, 'portal', [...moreCompanies, 'vacuum analyze'])
    await asSuperuser(cluster.url, 'postgres', ['create database bare template portal'])
    const portal = await startServer('server/main.ts', env, ready)
    const bare = await startBare({ DATABASE_URL: `${cluster.url}/bare` })
    const spread = await compare({ portal, bare }, companies, tell)
    const alone = await compare({ portal, bare }, 1, tell)
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
    const measured = await compare({ portal, bare }, companies, tell)
    await Promise.all([portal.stop(), bare.stop()])
    const what = 'user update vs bare UPDATE, embedded database'
    return [{ id: 'A3', what, unit: 'x', better: 'more', hard: 0.15, stretch: 0.35, ...measured }]
  } finally {
    await Promise.all([folder, copy].map((path) => rm(path, { recursive: true, force: true })))
  }
}

const startBare = (env: Record<string, string>) =>
  startServer('bench/bare.ts', { ...env, SECRET: secret }, { path: '/users/1', headers: signed })

/** Runs of both in turn, by one connection for each company, or all of them in one. */
async function compare({ portal, bare }: Pair, spread: number, tell: Tell): Promise<{ value: number; note: string }> {
  const sessions = await Promise.all(
    Array.from({ length: spread }, (_, n) => signIn(portal.url, `bench${n + 1}:user0@bench${n + 1}.example`)),
  )
  const users = await Promise.all(sessions.map((session) => usersOf(portal.url, session)))
  const parts = Array.from({ length: companies }, (_, n) => {
    const session = sessions[n % spread]
    const own = (users[n % spread] ?? []).filter(
      ({ id }, at) => id !== session?.userId && (spread > 1 || at % companies === n),
    )
    if (!session || own.length === 0) throw new Error('the world of the bench has no users')
    return { session, own }
  })
  const ours: Load[] = []
  const floor: Load[] = []
  for (let run = 0; run <= runs; run++) {
    const pair = [
      await load(
        bare.url,
        parts.map(({ own }) => bareClient(own)),
        run === 0 ? 500 : runMs,
      ),
      await load(
        portal.url,
        parts.map(({ session, own }) => portalClient(session, own)),
        run === 0 ? 500 : runMs,
      ),
    ] as const
    for (const { failures } of pair)
      if (Object.keys(failures).length > 0) throw new Error(`answers that are no success: ${JSON.stringify(failures)}`)
    // The first is for warming up.
    if (run === 0) continue
    floor.push(pair[0])
    ours.push(pair[1])
    tell(`${said(pair[1])} against ${said(pair[0])}`)
  }
  const rates = (loads: Load[]) => loads.map(({ perSecond }) => perSecond)
  return { value: ratio(rates(ours), rates(floor)), note: `${said(ours.at(-1))} against ${said(floor.at(-1))}` }
}

const said = (found: Load | undefined) => `${found?.perSecond.toFixed(0)}/s (p99 ${found?.p99Ms.toFixed(1)} ms)`

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
