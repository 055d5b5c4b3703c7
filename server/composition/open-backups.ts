/** Opens each backup destination when it is first used, because most starts need none of them. */
import type { Logger } from 'pino'
import type { BackupSettings } from '#server/config/backup-config.ts'
import type { BackupDestinations } from '#server/context/backup-destinations.ts'
import type { Config } from '#server/config/config.ts'
import { getRefusalThreshold, measureDiskSpace } from '#server/db/embedded/free-space.ts'
import { openEngine } from '#server/db/embedded/open.ts'
import { ServerPool } from '#server/db/postgres/server-pool.ts'
import { createServerTarget } from '#server/db/postgres/server-target.ts'
import {
  copyPoolLimits,
  createEngineConnections,
  createServerConnections,
} from '#server/drivers/backup-store/copies/connections.ts'
import { createCopyTarget } from '#server/drivers/backup-store/copies/target.ts'
import type { BackupStore, CopyTarget } from '#server/drivers/backup-store/backup-store.ts'
import { createFolderStore } from '#server/drivers/backup-store/folder-store.ts'

export function openBackups(
  settings: BackupSettings,
  { freeSpace }: Pick<Config, 'freeSpace'>,
  log: Logger,
): BackupDestinations {
  const createSpaceCheck = (folder: string) => async () => {
    const { free: freeBytes, total } = await measureDiskSpace(folder)
    return freeBytes >= getRefusalThreshold(freeSpace, total)
  }
  const store = openStore(settings, createSpaceCheck(settings.folder))
  const copies = openCopies(settings, createSpaceCheck(settings.copiesFolder), log)
  return {
    store,
    copies,
    async close() {
      await Promise.all([store.close(), copies.close()])
    },
  }
}

function openStore({ bucket, folder }: BackupSettings, hasRoom: () => Promise<boolean>): BackupStore {
  if (bucket === null) return createFolderStore({ folder, hasRoom })
  let storePromise: Promise<BackupStore> | null = null
  // Loaded on first use: the SDK takes as long to load as the rest of the server.
  const openBucket = () =>
    (storePromise ??= import('#server/drivers/backup-store/s3/store.ts').then((s3) => s3.createBucketStore(bucket)))
  return {
    name: 's3',
    put: async (...args) => (await openBucket()).put(...args),
    async *get(...args) {
      yield* (await openBucket()).get(...args)
    },
    async *list(...args) {
      yield* (await openBucket()).list(...args)
    },
    remove: async (...args) => (await openBucket()).remove(...args),
    cleanUp: async (...args) => (await openBucket()).cleanUp(...args),
    close: async () => (await storePromise)?.close(),
  }
}

function openCopies(
  { copiesUrl, copiesFolder }: BackupSettings,
  hasRoom: () => Promise<boolean>,
  log: Logger,
): CopyTarget {
  if (copiesUrl !== null) {
    // A statement of a large copy may take long, so only a host that does not respond at all ends it.
    const limits = { ...copyPoolLimits, maxQueryMs: null }
    const target = createServerTarget(copiesUrl, 'portal-copies')
    const logLostConnection = (error: unknown) =>
      log.warn({ event: 'backup_store_connection_lost', err: error }, 'lost a connection to the backup database')
    const pool = new ServerPool(target, limits, {
      onLost: logLostConnection,
      onSilent: () => logLostConnection(null),
      // The caller reports the backup that failed.
      onUnavailable: () => undefined,
    })
    return createCopyTarget(createServerConnections(pool))
  }
  return createCopyTarget(createEngineConnections(() => openEngine(copiesFolder, log), hasRoom))
}
