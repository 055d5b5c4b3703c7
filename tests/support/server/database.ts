/** Creates test databases of both engines, copied from one migrated template each. */
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, inject } from 'vitest'
import { readConfig } from '#server/config/config.ts'
import { type EmbeddedEngine as Running, startEngine } from '#server/db/embedded/engine.ts'
import { getDatabaseFolder } from '#server/db/embedded/data-folder.ts'
import { createEngineDatabase } from '#server/db/embedded/open.ts'
import type { Database, DatabaseHandle } from '#server/db/database.ts'
import { openPostgres } from '#server/db/postgres.ts'
import type { AppContext } from '#server/context/context.ts'
import { noBackups } from '#server/context/backup-destinations.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noPaymentMethods } from '#server/context/payment-methods.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { runAsSuperuser, migratedDatabase } from '#tests/support/server/postgres.ts'
import { emptyTables } from '#tests/support/server/snapshot.ts'
import { getCopiesFolder, createBareFolder, createDataFolder } from '#tests/support/runner/template.ts'
import { workerWide } from '#tests/support/runner/worker-wide.ts'
import { openTestFiles } from '#tests/support/server/files.ts'

export type Engine = Database['engine']

export const silent = pino({ level: 'silent' })

const engines: readonly { engine: Engine; isAvailable: boolean }[] = [
  { engine: 'embedded', isAvailable: true },
  { engine: 'postgres', isAvailable: (inject('postgresUrl') ?? null) !== null },
]

/** Runs the tests on both engines. Without PostgreSQL its tests are skipped; with `CI=true` this is a failure. */
export function eachEngine(title: string, body: (engine: Engine) => void): void {
  for (const { engine, isAvailable } of engines)
    describe.skipIf(!isAvailable)(`${title} (${engine === 'embedded' ? 'embedded' : 'PostgreSQL'})`, () => body(engine))
}

/**
 * Runs the tests on PostgreSQL, for races of several connections, which only PostgreSQL supports. Uses the embedded engine if PostgreSQL is
 * missing.
 */
export function onConnections(title: string, body: (engine: Engine) => void): void {
  describe(title, () =>
    body(engines.some(({ engine, isAvailable }) => engine === 'postgres' && isAvailable) ? 'postgres' : 'embedded'),
  )
}

/**
 * Uses PostgreSQL by day and both engines at night, for SQL that other tests run on both engines by day. Without PostgreSQL, the embedded
 * engine is used by day.
 */
export function eachEngineByNight(title: string, body: (engine: Engine) => void): void {
  if (isNight) eachEngine(title, body)
  else onConnections(title, body)
}

/**
 * Runs the tests on both engines, with one database per engine for the whole block. It is empty at the start of each test. `context` is
 * filled before the tests run.
 */
export function onBothEngines(title: string, body: (context: AppContext, engine: Engine) => void): void {
  eachEngine(title, (engine) => {
    const context = {} as AppContext
    beforeAll(async () => {
      Object.assign(context, testContext(await openTestDatabase(engine)))
    })
    beforeEach(() => emptyTables(context.database))
    afterAll(() => context.database.close())
    body(context, engine)
  })
}

/** Returns a migrated, empty database of that engine. The caller closes it. */
export const openTestDatabase = (engine: Engine): Promise<Database> =>
  engine === 'embedded' ? openEmbeddedDatabase() : openInCluster()

/** Returns the configuration of test servers: cheap password hashing, a fixed key, no log. */
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

export const testContext = (database: Database, clock: () => number = Date.now): AppContext => {
  const config = testConfig()
  return {
    config,
    database,
    log: silent,
    clock,
    payments: noPaymentMethods,
    hosting: noHosting,
    backups: noBackups,
    files: openTestFiles(config),
    checkpointStore: noCheckpointStore,
  }
}

/** Runs `work` without the row policies, for data that a test must read or damage directly. */
export const bypassPolicies = <T>(database: Database, work: (db: DatabaseHandle) => Promise<T>): Promise<T> =>
  database.kysely.transaction().execute(async (db) => {
    await sql`set local session_replication_role = replica`.execute(db)
    return work(db)
  })

/** Engine that the next file in the same worker reuses, because starting an engine takes longer than most files. */
const spareEngine = workerWide<Running>('engine')

/** Starts a separate engine without tables. The caller closes it. */
export const startBareEngine = (): Promise<Running> => startIn(createBareFolder)

/** Starts an engine on a copy of the template. Loading a dump into memory takes three times as long. */
const startCopy = () => startIn(createDataFolder)

async function startIn(createFolder: (folder: string) => Promise<void>): Promise<Running> {
  const folder = join(getCopiesFolder(process.ppid), randomUUID())
  await createFolder(folder)
  const engine = await startEngine({ dataDir: getDatabaseFolder(folder), load: null }, silent)
  return {
    ...engine,
    async close() {
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function openEmbeddedDatabase(): Promise<Database> {
  const engine = spareEngine.value ?? (await startCopy())
  spareEngine.value = null
  const database = createEngineDatabase(
    engine,
    () => true,
    async () => undefined,
  )
  return {
    ...database,
    async close() {
      if (spareEngine.value || !(await isClean(database))) return database.close()
      spareEngine.value = engine
    },
  }
}

/** Returns whether the database could be emptied for the next file. */
const isClean = (database: Database) =>
  emptyTables(database).then(
    () => true,
    () => false,
  )

let databaseCount = 0

async function openInCluster(): Promise<Database> {
  const url = inject('postgresUrl')
  if (!url) throw new Error('PostgreSQL is not installed here')
  const name = `t${process.pid}_${databaseCount++}_${randomUUID().slice(0, 8)}`
  await runAsSuperuser(url, 'postgres', [`create database ${name} template ${migratedDatabase}`])
  const database = await openPostgres(testConfig(), `${url}/${name}`, silent)
  return {
    ...database,
    async close() {
      await database.close()
      await runAsSuperuser(url, 'postgres', [`drop database ${name} with (force)`])
    },
  }
}
