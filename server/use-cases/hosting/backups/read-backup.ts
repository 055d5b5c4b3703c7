/** Reads a backup as data pieces. A reader who reaches the end without an error has exactly what was written. */
import type { StoredBackup } from '#server/db/hosting/stored-backups.ts'
import type { AppContext } from '#server/context/context.ts'
import type { ByteMeter } from '#server/drivers/file-store/file-store.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { readArchive } from '#server/use-cases/hosting/backups/archive.ts'
import { type BackupContents, withDigest } from '#server/use-cases/hosting/backups/digest.ts'
import { getIdentities } from '#server/use-cases/hosting/backups/backup-identities.ts'

/** Throws StoreError or BackupArchiveError. Damage is reported after the last piece at the latest. */
export async function* readBackup(app: AppContext, backup: StoredBackup, meter: ByteMeter): AsyncGenerator<DataPiece> {
  const { location, pdb_type } = backup
  if (location === null) throw new StoreError('missing', 'The backup has no storage location.')
  if (pdb_type === 'pdb2rds') {
    const copy = withDigest(app.backups.copies.read(location))
    yield* copy
    return requireSameContents(backup, copy.getContents())
  }
  const archive = readArchive(app.backups.store.get(location, { meter }), getIdentities(app.config, backup.company_id))
  yield* archive
  requireSameContents(backup, archive.getContents())
  if (archive.getHead()?.backupId !== backup.id)
    throw new StoreError('damaged', 'The archive belongs to another backup.')
}

function requireSameContents(backup: StoredBackup, { digest, tables, rows }: BackupContents): void {
  const isSame = digest === backup.digest && tables === backup.tables && rows === backup.rows
  if (!isSame) throw new StoreError('damaged', 'The stored backup differs from the data that was written.')
}
