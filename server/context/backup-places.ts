/** The places that backups go to, as a house has them. */
import { type BackupStore, type CopyTarget, StoreError } from '#server/drivers/backup-store/driver.ts'

export interface BackupPlaces {
  /** Archives (pdb2s3): the bucket, or the folder that stands in for it. */
  store: BackupStore
  /** Tables and rows (pdb2rds): the second database. */
  copies: CopyTarget
  close(): Promise<void>
}

const nowhere = async (): Promise<never> => {
  throw new StoreError('unreachable', 'Backups go nowhere from here.')
}

// eslint-disable-next-line require-yield
async function* nothing(): AsyncGenerator<never> {
  await nowhere()
}

/** For tools and tests that back nothing up. */
export const noBackups: BackupPlaces = {
  store: {
    name: 'local',
    put: nowhere,
    get: nothing,
    list: nothing,
    remove: nowhere,
    tidy: nowhere,
    close: async () => undefined,
  },
  copies: {
    name: 'embedded',
    write: nowhere,
    read: nothing,
    list: nowhere,
    remove: nowhere,
    close: async () => undefined,
  },
  close: async () => undefined,
}
