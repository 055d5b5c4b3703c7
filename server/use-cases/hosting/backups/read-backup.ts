/** What a backup holds, as pieces: whoever takes them to their end without an error has what was written, and nothing else. */
import type { StoredBackup } from '#server/db/hosting/stored-backups.ts'
import type { AppContext } from '#server/context/context.ts'
import { type Meter, StoreError } from '#server/drivers/backup-store/driver.ts'
import type { DataPiece } from '#server/drivers/hosting/driver.ts'
import { readArchive } from '#server/use-cases/hosting/backups/archive.ts'
import { type Contents, digested } from '#server/use-cases/hosting/backups/digest.ts'
import { identitiesOf } from '#server/use-cases/hosting/backups/keys.ts'

/** Throws StoreError and ArchiveError; `damaged` at the end at the latest. */
export async function* readBackup(app: AppContext, backup: StoredBackup, meter: Meter): AsyncGenerator<DataPiece> {
  const { place, pdb_type } = backup
  if (place === null) throw new StoreError('missing', 'The backup names no place.')
  if (pdb_type === 'pdb2rds') {
    const copy = digested(app.backups.copies.read(place))
    yield* copy
    return requireSame(backup, copy.contents())
  }
  const archive = readArchive(app.backups.store.get(place, meter), identitiesOf(app.config, backup.company_id))
  yield* archive
  requireSame(backup, archive.contents())
  if (archive.head()?.backupId !== backup.id) throw new StoreError('damaged', 'The archive is of another backup.')
}

function requireSame(backup: StoredBackup, { digest, tables, rows }: Contents): void {
  const isSame = digest === backup.digest && tables === backup.tables && rows === backup.rows
  if (!isSame) throw new StoreError('damaged', 'The backup does not hold what was written.')
}
