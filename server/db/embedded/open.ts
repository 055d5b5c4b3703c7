/** The embedded database of one data folder: locked, watched, in its own thread. */
import type { Logger } from 'pino'
import type { Config } from '#server/config/config.ts'
import { Announcements } from '#server/db/channels.ts'
import { type Engine, startEngine } from '#server/db/embedded/engine.ts'
import { databaseFolder, hasDatabase, newDatabaseFolder, takeFolder } from '#server/db/embedded/data-folder.ts'
import { measure, type Space, watchFreeSpace } from '#server/db/embedded/free-space.ts'
import type { Database } from '#server/db/handle.ts'
import { migrate } from '#server/db/migrate.ts'
import { overPool } from '#server/db/pool.ts'

export async function openEmbedded(
  config: Pick<Config, 'dataDir' | 'freeSpace'>,
  log: Logger,
  look: () => Promise<Space> = () => measure(config.dataDir),
): Promise<Database> {
  const lock = await takeFolder(config.dataDir)
  let engine: Engine | null = null
  try {
    if (!(await hasDatabase(config.dataDir))) await makeDatabase(config.dataDir, log)
    engine = await startEngine({ dataDir: databaseFolder(config.dataDir), load: null }, log)
    const room = await watchFreeSpace(config.freeSpace, look, log)
    const database = overEngine(engine, room.hasFreeSpace, async () => {
      room.stop()
      await lock.release()
    })
    const ran = await migrate(database.kysely)
    if (ran.length > 0) log.info({ migrations: ran }, 'the database was brought up to date')
    return { ...database, migrated: ran }
  } catch (error) {
    await engine?.close()
    await lock.release()
    throw error
  }
}

async function makeDatabase(folder: string, log: Logger): Promise<void> {
  const { draft, finish } = await newDatabaseFolder(folder)
  const engine = await startEngine({ dataDir: draft, load: null }, log)
  await engine.close()
  await finish()
}

/** Of a folder of its own, for what is no database of the portal: locked, and nothing is brought up to date in it. */
export async function openEngine(folder: string, log: Logger): Promise<Engine> {
  const lock = await takeFolder(folder)
  try {
    if (!(await hasDatabase(folder))) await makeDatabase(folder, log)
    const engine = await startEngine({ dataDir: databaseFolder(folder), load: null }, log)
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

/** A database over a running engine. Announcements stay in this process: there is no other on this folder. */
export function overEngine(engine: Engine, hasFreeSpace: () => boolean, afterwards: () => Promise<void>): Database {
  const ears = new Announcements()
  return {
    engine: 'embedded',
    migrated: [],
    kysely: overPool(engine.pool),
    hasFreeSpace: hasFreeSpace,
    dumpTo: (path) => engine.dumpTo(path),
    announce: async (channel, message) => ears.tell(channel, message),
    listen: (channel, hear) => ears.hear(channel, hear),
    async close() {
      await engine.close()
      await afterwards()
    },
  }
}
