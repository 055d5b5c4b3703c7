/** The places that backups go to, as a house has them. */
import { type BackupStore, type CopyTarget, StoreError } from '#server/drivers/backup-store/backup-store.ts'

export interface BackupDestinations {
  /** Archives (pdb2s3): the bucket, or the folder that stands in for it. */
  store: BackupStore
  /** Tables and rows (pdb2rds): the second database. */
  copies: CopyTarget
  close(): Promise<void>
}

const failUnreachable = async (): Promise<never> => {
  throw new StoreError('unreachable', 'Backups go nowhere from here.')
}

// eslint-disable-next-line require-yield
async function* failUnreachableStream(): AsyncGenerator<never> {
  await failUnreachable()
}

/** For tools and tests that back nothing up. */
export const noBackups: BackupDestinations = {
  store: {
    name: 'local',
    put: failUnreachable,
    get: failUnreachableStream,
    list: failUnreachableStream,
    remove: failUnreachable,
    cleanUp: failUnreachable,
    close: async () => undefined,
  },
  copies: {
    name: 'embedded',
    write: failUnreachable,
    read: failUnreachableStream,
    list: failUnreachable,
    remove: failUnreachable,
    close: async () => undefined,
  },
  close: async () => undefined,
}
