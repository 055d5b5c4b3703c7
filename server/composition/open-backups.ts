/** The places that backups go to, by the settings. Each is opened when it is first needed: most starts need none of them. */
import type { Logger } from 'pino'
import type { BackupSettings } from '#server/config/backup-config.ts'
import type { BackupPlaces } from '#server/context/backup-places.ts'
import type { Config } from '#server/config/config.ts'
import { markOf, measure } from '#server/db/embedded/free-space.ts'
import { openEngine } from '#server/db/embedded/open.ts'
import { engineConnections, serverConnections } from '#server/drivers/backup-store/copies/connections.ts'
import { copyTarget } from '#server/drivers/backup-store/copies/target.ts'
import type { BackupStore, CopyTarget } from '#server/drivers/backup-store/driver.ts'
import { folderStore } from '#server/drivers/backup-store/folder-store.ts'

export function openBackups(
  settings: BackupSettings,
  { freeSpace }: Pick<Config, 'freeSpace'>,
  log: Logger,
): BackupPlaces {
  const roomIn = (folder: string) => async () => {
    const { free, total } = await measure(folder)
    return free >= markOf(freeSpace, total)
  }
  const store = openStore(settings, roomIn(settings.folder))
  const copies = openCopies(settings, roomIn(settings.copiesFolder), log)
  return {
    store,
    copies,
    async close() {
      await Promise.all([store.close(), copies.close()])
    },
  }
}

function openStore({ bucket, folder }: BackupSettings, hasRoom: () => Promise<boolean>): BackupStore {
  if (bucket === null) return folderStore({ folder, hasRoom })
  let opened: Promise<BackupStore> | null = null
  // The SDK takes as long to load as the rest of the server.
  const open = () =>
    (opened ??= import('#server/drivers/backup-store/s3/store.ts').then((s3) => s3.bucketStore(bucket)))
  return {
    name: 's3',
    put: async (...asked) => (await open()).put(...asked),
    async *get(...asked) {
      yield* (await open()).get(...asked)
    },
    async *list(...asked) {
      yield* (await open()).list(...asked)
    },
    remove: async (...asked) => (await open()).remove(...asked),
    tidy: async (...asked) => (await open()).tidy(...asked),
    close: async () => (await opened)?.close(),
  }
}

function openCopies(
  { copiesUrl, copiesFolder }: BackupSettings,
  hasRoom: () => Promise<boolean>,
  log: Logger,
): CopyTarget {
  if (copiesUrl !== null) {
    const failed = (error: Error) => log.warn({ err: error }, 'a connection to the database of copies was lost')
    return copyTarget(serverConnections(copiesUrl, failed))
  }
  return copyTarget(engineConnections(() => openEngine(copiesFolder, log), hasRoom))
}
