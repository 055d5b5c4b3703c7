/**
 * The server is killed in the middle of 200 keyed writes by 20 writers, and started again; what was not acknowledged is
 * sent again with the same keys. Between the kill and the restart, in one snapshot of the database,
 * and once more at the end: every acknowledged write is there, none twice, and effect, trail and idempotency store agree.
 *
 *   npm run campaign -- kill-writes [rounds] [seed]
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { clientCredential } from '#contract/accounts.ts'
import { configOf } from '#tests/campaigns/config-of.ts'
import { openDatabase } from '#server/db/open.ts'
import { brokenEntries } from '#server/use-cases/audit/check-log.ts'
import { demoPassword } from '#demo/sample-data/demo-data.ts'
import { chanceOf } from '#tests/support/runner/chance.ts'
import { asSuperuser, postgresBin, startCluster } from '#tests/support/server/postgres.ts'
import { type Running, startProcess } from '#tests/support/server/process.ts'

export interface Campaign {
  rounds: number
  seed: number
  writers?: number
  /** Of five: make a user, and change it four times. */
  writesPerWriter?: number
  /** What tells the server, and the look at what it left, where the data are. */
  env: Record<string, string>
  /** Kills the database itself and starts it again; every other round, where given. */
  crashDatabase?: () => Promise<void>
  say?: (line: string) => void
}

export interface Report {
  rounds: number
  writes: number
  acknowledged: number
  /** Committed, and killed before the answer left: why every write needs a key. */
  unheard: number
  /** From the start of the new process, or of the database, to readiness, ms, sorted. */
  restarts: number[]
}

interface Write {
  method: 'POST' | 'PUT'
  path: string
  key: string
  ifMatch: string | null
  body: unknown
  /** The intent that makes the row. */
  row: string
  answer: string | null
}

export async function killWrites(campaign: Campaign): Promise<Report> {
  const { rounds, seed, env, say = () => undefined } = campaign
  const chance = chanceOf(seed)
  const all: Write[] = []
  const report: Report = { rounds, writes: 0, acknowledged: 0, unheard: 0, restarts: [] }
  let server = startProcess(env)
  let url = await server.ready
  try {
    for (let round = 0; round < rounds; round++) {
      const lanes = planLanes(campaign, round)
      const writes = lanes.flat()
      all.push(...writes)
      const heard = await fireAndKill({ url, lanes, chance, strike: strikeOf(campaign, round, server) })
      const isServerDead = server.child.exitCode !== null || server.child.signalCode !== null
      if (isServerDead) report.unheard += (await inspect(env, all)).unheard
      const before = performance.now()
      if (isServerDead) {
        server = startProcess(env)
        url = await server.ready
      }
      await untilReady(url)
      report.restarts.push(performance.now() - before)
      await finish(url, lanes)
      report.acknowledged += heard
      report.writes += writes.length
      say(`round ${round + 1}: ${isServerDead ? 'server' : 'database'} killed after ${heard} of ${writes.length}`)
    }
    const code = await server.kill('SIGTERM')
    if (code !== 0) throw new Error(`the server ended with ${code} after SIGTERM: ${server.said()}`)
    const { done } = await inspect(env, all)
    if (done !== all.length) throw new Error(`${done} of ${all.length} writes took effect in the end`)
    report.restarts.sort((a, b) => a - b)
    return report
  } finally {
    await server.kill('SIGKILL')
  }
}

const strikeOf =
  ({ crashDatabase }: Campaign, round: number, server: Running) =>
  async () => {
    if (crashDatabase && round % 2 === 1) await crashDatabase()
    else await server.kill('SIGKILL')
  }

/** Each writer makes users and changes them, in a chain that names its rows by the writes that make them. */
function planLanes({ writers = 20, writesPerWriter = 10 }: Campaign, round: number): Write[][] {
  return Array.from({ length: writers }, (_, writer) => {
    let maker = ''
    let before = ''
    return Array.from({ length: writesPerWriter }, (__, at): Write => {
      const key = randomUUID()
      const isNew = at % 5 === 0
      if (isNew) maker = key
      const previous = before
      before = key
      const email = `k${round}-${writer}-${at}@acme.example`
      return {
        method: isNew ? 'POST' : 'PUT',
        path: isNew ? '/api/m18s/user' : `/api/m18s/company-user/~${maker}`,
        key,
        ifMatch: isNew ? null : `"~${previous}"`,
        body: isNew ? { title: 0, name: `Killed ${round}`, email } : { title: (at % 5) % 3 },
        row: maker,
        answer: null,
      }
    })
  })
}

interface Fire {
  url: string
  lanes: Write[][]
  chance: () => number
  strike: () => Promise<void>
}

/** All writers at once; the strike comes when a chosen number of answers is in. Answers how many were heard. */
async function fireAndKill({ url, lanes, chance, strike }: Fire): Promise<number> {
  const access = await signIn(url)
  const writes = lanes.flat()
  const mark = Math.floor(writes.length * (0.1 + 0.8 * chance()))
  let heard = 0
  const strikes: Promise<void>[] = []
  async function run(lane: Write[]): Promise<void> {
    for (const write of lane) {
      const answer = await send(url, access, write).catch(() => null)
      // The line broke, or the database is away: the rest of the lane waits.
      if (answer === null || answer.status >= 500) return
      if (answer.status !== 200)
        throw new Error(`${write.method} ${write.path} answered ${answer.status} ${answer.body}`)
      write.answer = answer.body
      if (++heard === mark) strikes.push(wait(chance() * 5).then(strike))
    }
  }
  await Promise.all(lanes.map(run))
  if (strikes.length === 0) throw new Error(`the strike never came: ${heard} answers, awaited ${mark}`)
  await Promise.all(strikes)
  return heard
}

/** What has no answer yet is sent again, and one in ten of the rest: it must be told the same bytes. */
async function finish(url: string, lanes: Write[][]): Promise<void> {
  const access = await signIn(url)
  async function run(lane: Write[]): Promise<void> {
    for (const [at, write] of lane.entries()) {
      if (write.answer !== null && at % 10 !== 0) continue
      const { status, body } = await send(url, access, write)
      if (status !== 200) throw new Error(`again: ${write.method} ${write.path} answered ${status} ${body}`)
      if (write.answer !== null && body !== write.answer)
        throw new Error(`two answers to one write: ${write.answer} and ${body}`)
      write.answer = body
    }
  }
  await Promise.all(lanes.map(run))
}

async function send(url: string, access: string, { method, path, key, ifMatch, body }: Write) {
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${access}`,
      'content-type': 'application/json',
      'idempotency-key': key,
      ...(ifMatch === null ? {} : { 'if-match': ifMatch }),
    },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: await answer.text() }
}

async function signIn(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/m18s/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(clientCredential).toString('base64')}`,
      'x-token-store': 'body',
    },
    body: new URLSearchParams({ grant_type: 'password', username: 'acme:admin@acme.example', password: demoPassword }),
  })
  const said = (await answer.json()) as { access_token?: string }
  if (said.access_token === undefined) throw new Error(`signing in answered ${answer.status}`)
  return said.access_token
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(`${url}/health/ready`).catch(() => null)
    if (answer?.status === 200) return
    await wait(50)
  }
  throw new Error('the server was not ready again within 5 s')
}

/** Looks at the database itself. Throws at the first thing that is not as promised. */
async function inspect(env: Record<string, string>, writes: readonly Write[]) {
  const config = await configOf(env)
  const log = pino({ level: 'silent' })
  const database = await openDatabase(config, log)
  try {
    // Of one moment: what the killed server had sent off is still being carried out by the database.
    const moment = database.kysely.transaction().setIsolationLevel('repeatable read')
    const found = await moment.execute(async (db) => {
      await sql`set local role portal_system`.execute(db)
      const idempotency = await db
        .selectFrom('idempotency')
        .select(['intent', 'state', 'row_id', 'row_version'])
        .execute()
      const trail = await db
        .selectFrom('audit_entry')
        .select(['intent', 'status'])
        .where('intent', 'is not', null)
        .execute()
      const users = await db
        .selectFrom('portal_user')
        .select(['id', 'row_version'])
        .where('email', 'like', 'k%-%')
        .execute()
      const broken = await brokenEntries({ config }, db)
      const done = new Map(idempotency.map((row) => [row.intent, row]))
      const wrong = [
        ...idempotency.filter(({ state }) => state !== 'done').map(({ intent, state }) => `${intent} is ${state}`),
        ...differences(
          'trail',
          trail.map(({ intent }) => intent ?? ''),
          [...done.keys()],
        ),
        ...trail.filter(({ status }) => status !== 0).map(({ intent }) => `${intent} failed in the trail`),
        ...lost(writes, done),
        ...torn(writes, done, users),
        ...broken.map(({ id }) => `the trail is broken at ${id}`),
      ]
      if (wrong.length > 0) throw new Error(`${wrong.length} wrong: ${wrong.slice(0, 5).join('; ')}`)
      const unheard = writes.filter(({ key, answer }) => answer === null && done.has(key)).length
      return { done: done.size, unheard }
    })
    // More users are made here than a company may invite in an hour.
    await sql`delete from attempt where subject like 'invitations of %'`.execute(database.kysely)
    return found
  } finally {
    await database.close()
  }
}

/** Each once on both sides. */
function differences(name: string, found: string[], expected: string[]): string[] {
  const seen = new Set(found)
  const known = new Set(expected)
  const twice = found.length - seen.size
  const missing = expected.filter((intent) => !seen.has(intent))
  const extra = found.filter((intent) => !known.has(intent))
  return [
    ...(twice > 0 ? [`${twice} twice in the ${name}`] : []),
    ...missing.map((intent) => `${intent} is missing in the ${name}`),
    ...extra.map((intent) => `${intent} is only in the ${name}`),
  ]
}

const lost = (writes: readonly Write[], done: ReadonlyMap<string, unknown>): string[] =>
  writes
    .filter(({ key, answer }) => answer !== null && !done.has(key))
    .map(({ key }) => `${key} was acknowledged and is lost`)

/** A row's version is the number of its writes that the idempotency store has as done: one more or less is a torn or double effect. */
function torn(
  writes: readonly Write[],
  done: ReadonlyMap<string, { row_id: number | null }>,
  users: { id: number; row_version: number }[],
): string[] {
  const versions = new Map<number, number>()
  for (const { key, row } of writes) {
    const id = done.get(row)?.row_id
    if (done.has(key) && typeof id === 'number') versions.set(id, (versions.get(id) ?? 0) + 1)
  }
  const differing = users.filter(({ id, row_version }) => versions.get(id) !== row_version)
  return [
    ...(users.length === versions.size ? [] : [`${users.length} users, ${versions.size} in the idempotency store`]),
    ...differing.map(({ id, row_version }) => `user ${id} has version ${row_version} after ${versions.get(id)} writes`),
  ]
}

/** Both engines, one after the other. */
export async function run([rounds = '20', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  const say = (line: string) => console.log(`  ${line}`)
  console.log(`kill-writes: ${rounds} rounds, seed ${seed}`)
  const folder = await mkdtemp(join(tmpdir(), 'portal-kill-'))
  const campaign = { rounds: Number(rounds), seed: Number(seed), say }
  try {
    console.log('embedded')
    tell(await killWrites({ ...campaign, env: { DATA_DIR: join(folder, 'embedded') } }))
    const bin = postgresBin()
    if (bin === null) throw new Error('PostgreSQL is not installed here: its half of the campaign cannot run')
    const cluster = await startCluster(bin)
    try {
      console.log('PostgreSQL')
      await asSuperuser(cluster.url, 'postgres', ['create database campaign'])
      const env = { DATA_DIR: join(folder, 'postgres'), DATABASE_URL: `${cluster.url}/campaign`, DEMO: '1' }
      tell(await killWrites({ ...campaign, env, crashDatabase: cluster.crash }))
    } finally {
      await cluster.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function tell({ rounds, writes, acknowledged, unheard, restarts }: Report): void {
  const p99 = restarts[Math.ceil(restarts.length * 0.99) - 1] ?? 0
  console.log(
    `  ${rounds} kills, ${writes} writes, ${acknowledged} acknowledged before a kill: 0 lost, 0 twice, 0 torn; ` +
      `${unheard} committed unheard; ready again after ${Math.round(p99)} ms (p99)`,
  )
}
