/** Databases of a campaign: with as many connections as it wants, or of the schema of an older version. */
import { noCheckpointStore } from '#server/drivers/checkpoint-store/driver.ts'
import pino from 'pino'
import { contextOver } from '#server/cli/with-app.ts'
import { readConfig } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'
import { migrate } from '#server/db/migrate.ts'
import { makePool, overPool } from '#server/db/pool.ts'
import { asSuperuser } from '#tests/support/server/postgres.ts'

const log = pino({ level: 'silent' })
export const tokenKey = '11'.repeat(32)

interface Opened {
  app: AppContext
  url: string
  close: () => Promise<void>
}

/** `upTo`: the last migration that runs. */
export async function openDatabase(cluster: string, name: string, upTo?: string): Promise<Opened> {
  await asSuperuser(cluster, 'postgres', [`drop database if exists ${name}`, `create database ${name}`])
  const url = `${cluster}/${name}`
  const first = overPool(makePool({ connectionString: url, max: 1 }, log))
  await migrate(first, upTo)
  await first.destroy()
  const kysely = overPool(makePool({ connectionString: url, max: 60 }, log))
  const app = appOver(kysely)
  return { app, url, close: app.database.close }
}

/** A server's context over these connections, without anything that listens. */
export function appOver(kysely: ReturnType<typeof overPool>): AppContext {
  const database = {
    engine: 'postgres' as const,
    migrated: [],
    kysely,
    hasFreeSpace: () => true,
    dumpTo: null,
    announce: async () => undefined,
    listen: () => () => undefined,
    close: () => kysely.destroy(),
  }
  return contextOver({ config: readConfig({ TOKEN_KEY: tokenKey }), database, log, checkpointStore: noCheckpointStore })
}
