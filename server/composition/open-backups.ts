/** Opens each backup destination when it is first used, because most starts need none of them. */
import type { Logger } from 'pino'
import { createSpaceCheck, openBucketStore } from '#server/composition/open-files.ts'
import type { BackupSettings } from '#server/config/backup-config.ts'
import type { BackupDestinations } from '#server/context/backup-destinations.ts'
import type { Config } from '#server/config/config.ts'
import { openEngine } from '#server/db/embedded/open.ts'
import { ServerPool } from '#server/db/postgres/server-pool.ts'
import { createServerTarget } from '#server/config/postgres-target.ts'
import {
  copyPoolLimits,
  createEngineConnections,
  createServerConnections,
} from '#server/drivers/backup-store/copies/connections.ts'
import { createCopyTarget } from '#server/drivers/backup-store/copies/target.ts'
import type { CopyTarget } from '#server/drivers/backup-store/copies/copy-target.ts'
import { createFolderStore } from '#server/drivers/file-store/folder-store.ts'

export function openBackups(
  settings: BackupSettings,
  { freeSpace }: Pick<Config, 'freeSpace'>,
  log: Logger,
): BackupDestinations {
  const { bucket, folder } = settings
  const store = bucket
    ? openBucketStore(bucket)
    : createFolderStore({ folder, hasRoom: createSpaceCheck(freeSpace, folder) })
  const copies = openCopies(settings, createSpaceCheck(freeSpace, settings.copiesFolder), log)
  return {
    store,
    copies,
    async close() {
      await Promise.all([store.close(), copies.close()])
    },
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
