import type { Logger } from 'pino'
import type { Config } from '#server/config/config.ts'
import { Announcements } from '#server/db/announcements.ts'
import { type EmbeddedEngine, startEngine } from '#server/db/embedded/engine.ts'
import {
  getDatabaseFolder,
  hasDatabase,
  createDatabaseDraft,
  claimDataFolder,
} from '#server/db/embedded/data-folder.ts'
import { measureDiskSpace, type DiskSpace, watchFreeSpace } from '#server/db/embedded/free-space.ts'
import type { Database } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import { createPoolKysely } from '#server/db/pool.ts'
import { transactionTimeoutsMs } from '#server/db/timeouts.ts'

export async function openEmbeddedDatabase(
  config: Pick<Config, 'dataDir' | 'freeSpace'>,
  log: Logger,
  measureSpace: () => Promise<DiskSpace> = () => measureDiskSpace(config.dataDir),
): Promise<Database> {
  const lock = await claimDataFolder(config.dataDir)
  let engine: EmbeddedEngine | null = null
  try {
    if (!(await hasDatabase(config.dataDir))) await createDatabase(config.dataDir, log)
    engine = await startEngine({ dataDir: getDatabaseFolder(config.dataDir), load: null }, log)
    const spaceWatch = await watchFreeSpace(config.freeSpace, measureSpace, log)
    const database = createEngineDatabase(engine, spaceWatch.hasFreeSpace, async () => {
      spaceWatch.stop()
      await lock.release()
    })
    const appliedMigrations = await migrate(database.kysely)
    if (appliedMigrations.length > 0)
      log.info({ event: 'database_migrated', migrations: appliedMigrations }, 'the database schema was migrated')
    return { ...database, appliedMigrations }
  } catch (error) {
    await engine?.close()
    await lock.release()
    throw error
  }
}

async function createDatabase(folder: string, log: Logger): Promise<void> {
  const { draftFolder, finish } = await createDatabaseDraft(folder)
  const engine = await startEngine({ dataDir: draftFolder, load: null }, log)
  await engine.close()
  await finish()
}

/** Opens an engine in its own locked folder, for data other than the portal's database. No migrations run. */
export async function openEngine(folder: string, log: Logger): Promise<EmbeddedEngine> {
  const lock = await claimDataFolder(folder)
  try {
    if (!(await hasDatabase(folder))) await createDatabase(folder, log)
    const engine = await startEngine({ dataDir: getDatabaseFolder(folder), load: null }, log)
    const close = async () => {
      try {
        await engine.close()
      } finally {
        await lock.release()
      }
    }
    return { ...engine, close }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Announcements stay in this process, because no other process may use the folder. */
export function createEngineDatabase(
  engine: EmbeddedEngine,
  hasFreeSpace: () => boolean,
  onClosed: () => Promise<void>,
): Database {
  const announcements = new Announcements()
  return {
    engine: 'embedded',
    appliedMigrations: [],
    poolSize: 1,
    timeoutsMs: transactionTimeoutsMs,
    kysely: createPoolKysely(engine.pool),
    hasFreeSpace,
    dumpTo: (path) => engine.dumpTo(path),
    announce: async (channel, message) => announcements.notify(channel, message),
    listen: (channel, listener) => announcements.subscribe(channel, listener),
    discardConnections: () => undefined,
    async close() {
      await engine.close()
      await onClosed()
    },
  }
}
