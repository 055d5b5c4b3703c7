import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import type { CopyTarget } from '#server/drivers/backup-store/copies/copy-target.ts'

export interface BackupDestinations {
  /** Store of archives (pdb2s3): a bucket or a local folder. */
  store: FileStore
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
    location: { kind: 'folder', folder: '' },
    put: failUnreachable,
    get: failUnreachableStream,
    stat: failUnreachable,
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
