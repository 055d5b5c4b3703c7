/**
 * Deletes old backups. The latest good backup stays as long as its service has data, and 30 days longer. The row is marked as removed
 * before the stored data is deleted, so that the next run continues after a kill.
 */
import { hostingDays } from '#domain/hosting.ts'
import { type PdbType, backupTypes } from '#contract/backups.ts'
import { findBackupsByIds, listBackupsToRemove, listBackupsToClear } from '#server/db/hosting/backup-retention.ts'
import { updateStoredBackup } from '#server/db/hosting/stored-backups.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { clearLocation, locationFormats } from '#server/use-cases/hosting/backups/backup-locations.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const maxRows = 50

export async function expireBackups(app: AppContext): Promise<number> {
  await markOldRemoved(app)
  const rows = await readAsSystem(app, (db) => listBackupsToClear(db, maxRows))
  let clearedCount = 0
  for (const row of rows) {
    if (row.location === null) continue
    try {
      await clearLocation(app, row.pdb_type, row.location)
    } catch (error) {
      app.log.warn(
        { event: 'backup_deletion_failed', err: error, backup: row.id },
        'could not delete an expired backup',
      )
      continue
    }
    await writeAsSystem(app, (db) => updateStoredBackup(db, row, { location: null }, app.clock()))
    clearedCount += 1
  }
  return clearedCount
}

async function markOldRemoved(app: AppContext): Promise<void> {
  const now = app.clock()
  const { backupKeepCount: count, backupKeepDays } = app.config
  const limits = {
    count,
    createdBefore: now - backupKeepDays * dayMs,
    erasedBefore: now - hostingDays.dataRetention * dayMs,
    limit: maxRows,
  }
  const rows = await readAsSystem(app, (db) => listBackupsToRemove(db, limits))
  for (const row of rows) {
    await writeAsSystem(app, (db) => updateStoredBackup(db, row, { state: 'removed' }, app.clock()))
    announceServices(app, row.company_id)
  }
}

/** Runs once a day. Deletes remains of interrupted uploads, and data stored by a try that was given up. */
export async function cleanUpBackups(app: AppContext): Promise<number> {
  let removedCount = await app.backups.store.cleanUp(dayMs, locationFormats.pdb2s3.prefix)
  for (const type of backupTypes)
    for await (const location of listOrphans(app, type)) {
      app.log.warn({ event: 'orphaned_backup_deleted', location }, 'deleted a stored backup that has no row')
      await clearLocation(app, type, location)
      removedCount += 1
    }
  return removedCount
}

/**
 * Yields the locations of stored data that the backup's row does not name. Data older than the row is left unchanged, because ids are
 * assigned again after the restore of a dump.
 */
async function* listOrphans(app: AppContext, type: PdbType): AsyncGenerator<string> {
  const createdBefore = app.clock() - hourMs
  let batch: string[] = []
  for await (const location of listLocations(app, type)) {
    batch.push(location)
    if (batch.length < 500) continue
    yield* await filterOrphans(app, type, batch, createdBefore)
    batch = []
  }
  yield* await filterOrphans(app, type, batch, createdBefore)
}

async function* listLocations({ backups }: AppContext, type: PdbType): AsyncGenerator<string> {
  const { prefix } = locationFormats[type]
  if (type === 'pdb2rds') yield* await backups.copies.list(prefix)
  else for await (const { key } of backups.store.list(prefix)) yield key
}

async function filterOrphans(
  app: AppContext,
  type: PdbType,
  locations: readonly string[],
  createdBefore: number,
): Promise<string[]> {
  const ids = locations.map((location) => locationFormats[type].parseId(location)).filter((id) => id !== null)
  const rows = await readAsSystem(app, (db) => findBackupsByIds(db, ids))
  const rowsById = new Map(rows.map((row) => [row.id, row]))
  return locations.filter((location) => {
    const row = rowsById.get(locationFormats[type].parseId(location) ?? 0)
    const startedAt = locationFormats[type].parseTime(location)
    return (
      row !== undefined && row.location !== location && startedAt < createdBefore && startedAt >= row.create_time - 1000
    )
  })
}
