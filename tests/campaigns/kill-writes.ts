/**
 * Kills and restarts the server during 200 keyed writes by 20 writers. Unacknowledged writes are resent with the same keys (R-10, R-11,
 * The database is checked between kill and restart, in one snapshot, and again at the end: every acknowledged write exists, no write
 * exists twice, and effect, trail and idempotency store agree.
 *
 * npm run campaign -- kill-writes [rounds] [seed]
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { clientCredential } from '#contract/accounts.ts'
import { reportTotals } from '#tests/campaigns/nightly/totals.ts'
import { readFolderConfig } from '#tests/support/server/read-folder-config.ts'
import { openDatabase } from '#server/db/open.ts'
import { findBrokenEntries } from '#server/use-cases/audit/check-log.ts'
import { demoPassword } from '#demo/sample-data/demo-data.ts'
import { createRandom } from '#tests/support/runner/random.ts'
import { runAsSuperuser, postgresBin, startCluster } from '#tests/support/server/postgres.ts'
import { type RunningProcess, startProcess } from '#tests/support/server/process.ts'

export interface KillCampaign {
  rounds: number
  seed: number
  writers?: number
  /** Number of writes per writer, in groups of five: one creates a user, four change it. */
  writesPerWriter?: number
  /** Environment with the location of the data, for the server and for the inspection of its database. */
  env: Record<string, string>
  /** If given, kills and restarts the database every second round. */
  crashDatabase?: () => Promise<void>
  log?: (line: string) => void
}

export interface KillReport {
  rounds: number
  writes: number
  acknowledged: number
  /** Number of writes that were committed but whose response was lost by the kill. Every write needs a key because of them. */
  unheardCount: number
  /** Times in ms from the start of the new process, or of the database, until it was ready, sorted. */
  restarts: number[]
}

interface KilledWrite {
  method: 'POST' | 'PUT'
  path: string
  key: string
  ifMatch: string | null
  body: unknown
  /** Intent that creates the row of this write. */
  row: string
  responseBody: string | null
}

export async function killWrites(campaign: KillCampaign): Promise<KillReport> {
  const { rounds, seed, env, log = () => undefined } = campaign
  const random = createRandom(seed)
  const allWrites: KilledWrite[] = []
  const report: KillReport = { rounds, writes: 0, acknowledged: 0, unheardCount: 0, restarts: [] }
  let server = startProcess(env)
  let url = await server.ready
  try {
    for (let round = 0; round < rounds; round++) {
      const writesByQueue = planWrites(campaign, round)
      const writes = writesByQueue.flat()
      allWrites.push(...writes)
      const acknowledgedCount = await sendAndKill({
        url,
        writesByQueue,
        random,
        killServer: createServerKill(campaign, round, server),
      })
      const isServerDead = server.child.exitCode !== null || server.child.signalCode !== null
      if (isServerDead) report.unheardCount += (await inspectDatabase(env, allWrites)).unheardCount
      const killedAt = performance.now()
      if (isServerDead) {
        server = startProcess(env)
        url = await server.ready
      }
      await waitUntilReady(url)
      report.restarts.push(performance.now() - killedAt)
      await finishWrites(url, writesByQueue)
      report.acknowledged += acknowledgedCount
      report.writes += writes.length
      log(
        `round ${round + 1}: ${isServerDead ? 'server' : 'database'} killed after ${acknowledgedCount} of ${writes.length}`,
      )
    }
    const code = await server.kill('SIGTERM')
    if (code !== 0) throw new Error(`the server ended with ${code} after SIGTERM: ${server.output()}`)
    const { doneCount } = await inspectDatabase(env, allWrites)
    if (doneCount !== allWrites.length)
      throw new Error(`${doneCount} of ${allWrites.length} writes took effect in the end`)
    report.restarts.sort((a, b) => a - b)
    return report
  } finally {
    await server.kill('SIGKILL')
  }
}

const createServerKill =
  ({ crashDatabase }: KillCampaign, round: number, server: RunningProcess) =>
  async () => {
    if (crashDatabase && round % 2 === 1) await crashDatabase()
    else await server.kill('SIGKILL')
  }

/**
 * Each writer creates users and changes them. A change refers to its user by the intent of the creation, and its `If-Match` to the intent
 * of the previous write.
 */
function planWrites({ writers = 20, writesPerWriter = 10 }: KillCampaign, round: number): KilledWrite[][] {
  return Array.from({ length: writers }, (_, writer) => {
    let creationKey = ''
    let previousKey = ''
    return Array.from({ length: writesPerWriter }, (__, index): KilledWrite => {
      const key = randomUUID()
      const isNew = index % 5 === 0
      if (isNew) creationKey = key
      const ifMatchKey = previousKey
      previousKey = key
      const email = `k${round}-${writer}-${index}@acme.example`
      return {
        method: isNew ? 'POST' : 'PUT',
        path: isNew ? '/api/m18s/user' : `/api/m18s/company-user/~${creationKey}`,
        key,
        ifMatch: isNew ? null : `"~${ifMatchKey}"`,
        body: isNew ? { title: 0, name: `Killed ${round}`, email } : { title: (index % 5) % 3 },
        row: creationKey,
        responseBody: null,
      }
    })
  })
}

interface SendContext {
  url: string
  writesByQueue: KilledWrite[][]
  random: () => number
  killServer: () => Promise<void>
}

/** All writers send at once. Kills the server after a random number of responses. Returns the number of responses received. */
async function sendAndKill({ url, writesByQueue, random, killServer }: SendContext): Promise<number> {
  const accessToken = await signIn(url)
  const writes = writesByQueue.flat()
  const killAfterCount = Math.floor(writes.length * (0.1 + 0.8 * random()))
  let acknowledgedCount = 0
  const killPromises: Promise<void>[] = []
  async function sendQueue(writes: KilledWrite[]): Promise<void> {
    for (const write of writes) {
      const send = () => sendWrite(url, accessToken, write).catch(() => null)
      let response = await send()
      // On a busy machine the server may answer 503 before it is killed. The write is then sent again with the same key.
      while (response?.status === 503 && killPromises.length === 0) {
        await wait(20)
        response = await send()
      }
      // The connection failed or the database is unavailable. The remaining writes of this queue are not sent yet.
      if (response === null || response.status >= 500) return
      if (response.status !== 200)
        throw new Error(`${write.method} ${write.path} returned ${response.status} ${response.body}`)
      write.responseBody = response.body
      if (++acknowledgedCount === killAfterCount) killPromises.push(wait(random() * 5).then(killServer))
    }
  }
  await Promise.all(writesByQueue.map(sendQueue))
  if (killPromises.length === 0)
    throw new Error(
      `the server was not killed: only ${acknowledgedCount} of ${killAfterCount} writes were acknowledged`,
    )
  await Promise.all(killPromises)
  return acknowledgedCount
}

/** Resends every write without a response, and one in ten of the others, which must get an identical response. */
async function finishWrites(url: string, writesByQueue: KilledWrite[][]): Promise<void> {
  const accessToken = await signIn(url)
  async function sendQueue(writes: KilledWrite[]): Promise<void> {
    for (const [index, write] of writes.entries()) {
      if (write.responseBody !== null && index % 10 !== 0) continue
      const { status, body } = await sendWrite(url, accessToken, write)
      if (status !== 200) throw new Error(`repeated: ${write.method} ${write.path} returned ${status} ${body}`)
      if (write.responseBody !== null && body !== write.responseBody)
        throw new Error(`two different responses to one write: ${write.responseBody} and ${body}`)
      write.responseBody = body
    }
  }
  await Promise.all(writesByQueue.map(sendQueue))
}

async function sendWrite(url: string, accessToken: string, { method, path, key, ifMatch, body }: KilledWrite) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${accessToken}`,
      'content-type': 'application/json',
      'idempotency-key': key,
      ...(ifMatch === null ? {} : { 'if-match': ifMatch }),
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.text() }
}

async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/m18s/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(clientCredential).toString('base64')}`,
      'x-token-store': 'body',
    },
    body: new URLSearchParams({ grant_type: 'password', username: 'acme:admin@acme.example', password: demoPassword }),
  })
  const tokenResponse = (await response.json()) as { access_token?: string }
  if (tokenResponse.access_token === undefined) throw new Error(`the sign-in returned ${response.status}`)
  return tokenResponse.access_token
}

async function waitUntilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const response = await fetch(`${url}/health/ready`).catch(() => null)
    if (response?.status === 200) return
    await wait(50)
  }
  throw new Error('the server was not ready again within 5 s')
}

/** Inspects the database directly. Throws at the first inconsistency. */
async function inspectDatabase(env: Record<string, string>, writes: readonly KilledWrite[]) {
  const config = await readFolderConfig(env)
  const log = pino({ level: 'silent' })
  const database = await openDatabase(config, log)
  try {
    // Reads everything in one snapshot, because the database still executes statements that the killed server had sent.
    const snapshot = database.kysely.transaction().setIsolationLevel('repeatable read')
    const result = await snapshot.execute(async (db) => {
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
      const brokenEntries = await findBrokenEntries({ config }, db)
      const doneByIntent = new Map(idempotency.map((row) => [row.intent, row]))
      const faults = [
        ...idempotency.filter(({ state }) => state !== 'done').map(({ intent, state }) => `${intent} is ${state}`),
        ...findDifferences(
          'trail',
          trail.map(({ intent }) => intent ?? ''),
          [...doneByIntent.keys()],
        ),
        ...trail
          .filter(({ status }) => status !== 0)
          .map(({ intent }) => `${intent} is marked as failed in the audit trail`),
        ...findLost(writes, doneByIntent),
        ...findTorn(writes, doneByIntent, users),
        ...brokenEntries.map(({ id }) => `entry ${id} of the audit trail is broken`),
      ]
      if (faults.length > 0) throw new Error(`${faults.length} faults: ${faults.slice(0, 5).join('; ')}`)
      const unheardCount = writes.filter(
        ({ key, responseBody }) => responseBody === null && doneByIntent.has(key),
      ).length
      return { doneCount: doneByIntent.size, unheardCount }
    })
    // The campaign creates more users than a company may invite per hour.
    await sql`delete from attempt where subject like 'invitations of %'`.execute(database.kysely)
    return result
  } finally {
    await database.close()
  }
}

/** Returns the intents that are missing, unexpected or duplicate in `foundIntents`, as texts. */
function findDifferences(name: string, foundIntents: string[], expected: string[]): string[] {
  const seenIntents = new Set(foundIntents)
  const expectedIntents = new Set(expected)
  const duplicateCount = foundIntents.length - seenIntents.size
  const missingIntents = expected.filter((intent) => !seenIntents.has(intent))
  const extraIntents = foundIntents.filter((intent) => !expectedIntents.has(intent))
  return [
    ...(duplicateCount > 0 ? [`${duplicateCount} writes are twice in the ${name}`] : []),
    ...missingIntents.map((intent) => `${intent} is missing in the ${name}`),
    ...extraIntents.map((intent) => `${intent} is only in the ${name}`),
  ]
}

const findLost = (writes: readonly KilledWrite[], doneByIntent: ReadonlyMap<string, unknown>): string[] =>
  writes
    .filter(({ key, responseBody }) => responseBody !== null && !doneByIntent.has(key))
    .map(({ key }) => `${key} was acknowledged but is lost`)

/**
 * Returns rows whose version differs from the number of their completed writes in the idempotency store. In such a row an effect is missing
 * or doubled.
 */
function findTorn(
  writes: readonly KilledWrite[],
  doneByIntent: ReadonlyMap<string, { row_id: number | null }>,
  users: { id: number; row_version: number }[],
): string[] {
  const versions = new Map<number, number>()
  for (const { key, row } of writes) {
    const id = doneByIntent.get(row)?.row_id
    if (doneByIntent.has(key) && typeof id === 'number') versions.set(id, (versions.get(id) ?? 0) + 1)
  }
  const differingUsers = users.filter(({ id, row_version }) => versions.get(id) !== row_version)
  return [
    ...(users.length === versions.size ? [] : [`${users.length} users, ${versions.size} in the idempotency store`]),
    ...differingUsers.map(
      ({ id, row_version }) => `user ${id} has version ${row_version} after ${versions.get(id)} writes`,
    ),
  ]
}

export async function run([rounds = '20', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  const log = (line: string) => console.log(`  ${line}`)
  console.log(`kill-writes: ${rounds} rounds, seed ${seed}`)
  const folder = await mkdtemp(join(tmpdir(), 'portal-kill-'))
  const campaign = { rounds: Number(rounds), seed: Number(seed), log }
  try {
    console.log('embedded')
    printReport(await killWrites({ ...campaign, env: { DATA_DIR: join(folder, 'embedded') } }))
    const bin = postgresBin()
    if (bin === null) throw new Error('PostgreSQL is not installed: half of the campaign cannot run')
    const cluster = await startCluster(bin)
    try {
      console.log('PostgreSQL')
      await runAsSuperuser(cluster.url, 'postgres', ['create database campaign'])
      const env = { DATA_DIR: join(folder, 'postgres'), DATABASE_URL: `${cluster.url}/campaign`, DEMO: '1' }
      printReport(await killWrites({ ...campaign, env, crashDatabase: cluster.crash }))
    } finally {
      await cluster.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function printReport({ rounds, writes, acknowledged, unheardCount, restarts }: KillReport): void {
  reportTotals({ 'kills of the server': rounds, 'keyed writes through kills': writes })
  const p99 = restarts[Math.ceil(restarts.length * 0.99) - 1] ?? 0
  console.log(
    `  ${rounds} kills, ${writes} writes, ${acknowledged} acknowledged before a kill: 0 lost, 0 executed twice, 0 incomplete; ` +
      `${unheardCount} committed without a response; ready again after ${Math.round(p99)} ms (p99)`,
  )
}
