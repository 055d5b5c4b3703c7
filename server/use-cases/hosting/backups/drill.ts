/**
 * Runs restore drills. Every week the latest good backup of each subscription is restored into an empty instance and compared with what was
 * written. Only a drill shows that a backup can be restored.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { tryInsertJob } from '#server/db/jobs.ts'
import { listAbandonedDrills, startRestore, finishRestore } from '#server/db/hosting/restores.ts'
import { listBackupsToDrill } from '#server/db/hosting/backup-retention.ts'
import { type StoredBackup, findAnyStoredBackup } from '#server/db/hosting/stored-backups.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { buildData } from '#server/drivers/hosting/local/build-data.ts'
import { openDraftFolder } from '#server/drivers/hosting/local/instances/draft-folders.ts'
import { readDataFile } from '#server/drivers/hosting/local/read-data.ts'
import { withDigest } from '#server/use-cases/hosting/backups/digest.ts'
import { readBackup } from '#server/use-cases/hosting/backups/read-backup.ts'
import { createJobId, createProgressKey } from '#server/use-cases/job-requests.ts'

const dayMs = 86_400_000

export const drillJob = 'drill-backup'
export interface DrillInput {
  restoreId: number
  backupId: number
}

const drillIntervalMs = 7 * dayMs
const deadlineMs = 6 * 3_600_000
const abandonedMs = 600_000
const maxDrills = 2

export async function startDueDrills(app: AppContext): Promise<number> {
  const now = app.clock()
  return await writeAsSystem(app, async (db) => {
    for (const { id } of await listAbandonedDrills(db, now - abandonedMs))
      await finishRestore(db, id, 'interrupted', now)
    const dueBackups = await listBackupsToDrill(db, now - drillIntervalMs, maxDrills)
    let startedCount = 0
    for (const { id: backupId, company_id } of dueBackups) {
      const restoreId = await startRestore(db, { company_id, backup_id: backupId, ...noRequester, create_time: now })
      if (restoreId === null) continue
      const input: DrillInput = { restoreId, backupId }
      const owner = { companyId: 0, userId: 0, intent: `drill-${restoreId}`, progressKey: createProgressKey() }
      await tryInsertJob(db, { ...owner, id: createJobId(), kind: drillJob, input, now, deadline: now + deadlineMs })
      startedCount += 1
    }
    return startedCount
  })
}

const noRequester = { kind: 'drill', service_id: null, user_id: null, user_name: null, by_provider: false } as const

/** Throws errors of stores, archives and the restored instance. Returns null if there is no longer a completed backup with this id. */
export async function runDrill(app: AppContext, { backupId }: DrillInput): Promise<StoredBackup | null> {
  const backup = await readAsSystem(app, (db) => findAnyStoredBackup(db, backupId))
  if (backup?.state !== 'done') return null
  // Drills are not billed, because customers did not request them.
  const skipMetering = () => undefined
  // If the database is on another machine, the folder does not exist yet.
  mkdirSync(app.config.dataDir, { recursive: true })
  const draftFolder = openDraftFolder(app.config.dataDir)
  try {
    const path = join(draftFolder.path, 'drill.db')
    await buildData(path, readBackup(app, backup, skipMetering))
    const rebuiltData = withDigest(readDataFile(path))
    for await (const _ of rebuiltData);
    if (rebuiltData.getContents().digest !== backup.digest)
      throw new StoreError('damaged', 'The restored data differs from the data that was backed up.')
  } finally {
    draftFolder.remove()
  }
  return backup
}
