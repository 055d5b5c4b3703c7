/** Opens databases for a campaign, with a custom number of connections or with the schema of an older version. */
import { noCheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import pino from 'pino'
import { createCommandContext } from '#server/cli/with-app.ts'
import { readConfig } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'
import { migrate } from '#server/db/migrate.ts'
import { createPool, createPoolKysely } from '#server/db/pool.ts'
import { transactionTimeoutsMs } from '#server/db/timeouts.ts'
import { runAsSuperuser } from '#tests/support/server/postgres.ts'
import { openTestFiles } from '#tests/support/server/files.ts'

const log = pino({ level: 'silent' })
export const tokenKey = '11'.repeat(32)

interface CampaignDatabase {
  app: AppContext
  url: string
  close: () => Promise<void>
}

/** Creates an empty database and runs the migrations up to `lastMigration`, or all of them if it is omitted. */
export async function openDatabase(cluster: string, name: string, lastMigration?: string): Promise<CampaignDatabase> {
  await runAsSuperuser(cluster, 'postgres', [`drop database if exists ${name}`, `create database ${name}`])
  const url = `${cluster}/${name}`
  const migrationConnection = createPoolKysely(createPool({ connectionString: url, max: 1 }, log))
  await migrate(migrationConnection, lastMigration)
  await migrationConnection.destroy()
  const kysely = createPoolKysely(createPool({ connectionString: url, max: 60 }, log))
  const app = createAppContext(kysely)
  return { app, url, close: app.database.close }
}

/** Returns a server's context over these connections. No server is started. */
export function createAppContext(kysely: ReturnType<typeof createPoolKysely>): AppContext {
  const database = {
    engine: 'postgres' as const,
    appliedMigrations: [],
    poolSize: 20,
    timeoutsMs: transactionTimeoutsMs,
    kysely,
    hasFreeSpace: () => true,
    dumpTo: null,
    announce: async () => undefined,
    listen: () => () => undefined,
    discardConnections: () => undefined,
    close: () => kysely.destroy(),
  }
  const config = readConfig({ TOKEN_KEY: tokenKey })
  return createCommandContext({
    config,
    database,
    clock: Date.now,
    log,
    files: openTestFiles(config),
    checkpointStore: noCheckpointStore,
  })
}
