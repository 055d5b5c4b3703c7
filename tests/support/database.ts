/** Databases for tests, of both engines, made from one migrated template each. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, inject } from 'vitest'
import pino from 'pino'
import { sql } from 'kysely'
import { readConfig } from '#server/config.ts'
import { RecentCounts } from '#server/db/recent-counts.ts'
import { RecentRows } from '#server/db/recent.ts'
import { overEngine } from '#server/db/embedded/open.ts'
import { startEngine } from '#server/db/embedded/engine.ts'
import { openPostgres } from '#server/db/postgres.ts'
import type { Database, Handle, House } from '#server/house.ts'
import { noPayments } from '#server/payments.ts'
import { asSuperuser } from '#tests/support/postgres.ts'
import { template } from '#tests/support/template.ts'

export type Engine = Database['engine']

export const silent = pino({ level: 'silent' })

const engines: readonly { engine: Engine; isHere: boolean }[] = [
  { engine: 'embedded', isHere: true },
  { engine: 'postgres', isHere: (inject('postgresUrl') ?? null) !== null },
]

/** PostgreSQL's tests are skipped where it is not installed, which `CI=true` counts as a failure. */
export function eachEngine(title: string, body: (engine: Engine) => void): void {
  for (const { engine, isHere } of engines)
    describe.skipIf(!isHere)(`${title} (${engine === 'embedded' ? 'embedded' : 'PostgreSQL'})`, () => body(engine))
}

/** One database per engine for the whole block, empty at the start of each test. `the` is filled before the tests run. */
export function onBothEngines(title: string, body: (the: House, engine: Engine) => void): void {
  eachEngine(title, (engine) => {
    const the = {} as House
    beforeAll(async () => {
      Object.assign(the, testHouse(await openTestDatabase(engine)))
    })
    beforeEach(() => emptyDatabase(the.database))
    afterAll(() => the.database.close())
    body(the, engine)
  })
}

/** A migrated, empty database of that engine. Close it. */
export const openTestDatabase = (engine: Engine): Promise<Database> =>
  engine === 'embedded' ? openInMemory() : openInCluster()

/** What tests start a house with: cheap hashes, a fixed key, nothing logged. */
export const testConfig = (env: Record<string, string> = {}) =>
  readConfig({
    TOKEN_KEY: '11'.repeat(32),
    ARGON2_MEMORY_KB: '4096',
    ARGON2_TIME: '1',
    LOG_LEVEL: 'silent',
    DEMO: '0',
    PORT: '0',
    ...env,
  })

export const testHouse = (database: Database, clock: () => number = Date.now): House => ({
  config: testConfig(),
  database,
  log: silent,
  clock,
  payments: noPayments,
})

/** Takes every row out again, as the owner of the tables; the schema stays. */
export async function emptyDatabase(database: Database): Promise<void> {
  // The same ids are about to name other rows.
  database.recentUsers = new RecentRows()
  database.recentCounts = new RecentCounts()
  await database.kysely.connection().execute(async (db) => {
    await sql`set session_replication_role = replica`.execute(db)
    await sql`truncate company, portal_user, session, token, one_time_key, ticket, price_upload, attempt, ledger, change, tombstone, trail, fact, job,
      module, app_version, price_list, series
      restart identity cascade`.execute(db)
    await sql`set session_replication_role = default`.execute(db)
  })
}

/** For what a test must see or damage past every policy. */
export const pastPolicies = <T>(database: Database, work: (db: Handle) => Promise<T>): Promise<T> =>
  database.kysely.transaction().execute(async (db) => {
    await sql`set local session_replication_role = replica`.execute(db)
    return work(db)
  })

async function openInMemory(): Promise<Database> {
  const engine = await startEngine({ dataDir: null, load: await template() }, silent)
  return overEngine(
    engine,
    () => true,
    async () => undefined,
  )
}

let made = 0

async function openInCluster(): Promise<Database> {
  const url = inject('postgresUrl')
  if (!url) throw new Error('PostgreSQL is not installed here')
  const name = `t${process.pid}_${made++}_${randomUUID().slice(0, 8)}`
  await asSuperuser(url, 'postgres', [`create database ${name}`])
  const database = await openPostgres(testConfig(), `${url}/${name}`, silent)
  return {
    ...database,
    async close() {
      await database.close()
      await asSuperuser(url, 'postgres', [`drop database ${name} with (force)`])
    },
  }
}
