import { type BackupStore, type CopyTarget, StoreError } from '#server/drivers/backup-store/backup-store.ts'

export interface BackupDestinations {
  /** Store of archives (pdb2s3): a bucket or a local folder. */
  store: BackupStore
  /** Second database for copies of tables (pdb2rds). */
  copies: CopyTarget
  close(): Promise<void>
}

const failUnreachable = async (): Promise<never> => {
  throw new StoreError('unreachable', 'Backups are not available in this process.')
}

// eslint-disable-next-line require-yield
async function* failUnreachableStream(): AsyncGenerator<never> {
  await failUnreachable()
}

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
