/**
 * Restore drills: every week the newest good backup of each subscription is read back, built into an empty place, checked, and
 * compared with what was written. A backup that nobody has ever put back is none.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { putJob } from '#server/db/jobs.ts'
import { abandonedDrills, beginRestore, endRestore } from '#server/db/hosting/restores.ts'
import { backupsToDrill } from '#server/db/hosting/kept-backups.ts'
import { type StoredBackup, storedNow } from '#server/db/hosting/stored-backups.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { StoreError } from '#server/drivers/backup-store/driver.ts'
import { buildData } from '#server/drivers/hosting/local/build-data.ts'
import { openDraft } from '#server/drivers/hosting/local/instances/draft-folders.ts'
import { readDataFile } from '#server/drivers/hosting/local/read-data.ts'
import { digested } from '#server/use-cases/hosting/backups/digest.ts'
import { readBackup } from '#server/use-cases/hosting/backups/read-backup.ts'
import { newJobId, newProgressKey } from '#server/use-cases/job-requests.ts'

const system = { role: 'portal_system' } as const
const dayMs = 86_400_000

export const drillJob = 'drill-backup'
/** What its long request goes by. */
export interface DrillInput {
  restoreId: number
  backupId: number
}

const everyMs = 7 * dayMs
const deadlineMs = 6 * 3_600_000
const abandonedMs = 600_000
const most = 2

/** Answers how many began. */
export async function tendDrills(app: AppContext): Promise<number> {
  const now = app.clock()
  return await inTransaction(app, system, async (db) => {
    for (const { id } of await abandonedDrills(db, now - abandonedMs)) await endRestore(db, id, 'interrupted', now)
    const due = await backupsToDrill(db, now - everyMs, most)
    let began = 0
    for (const { id: backupId, company_id } of due) {
      const restoreId = await beginRestore(db, { company_id, backup_id: backupId, ...nobody, create_time: now })
      if (restoreId === null) continue
      const input: DrillInput = { restoreId, backupId }
      const owner = { companyId: 0, userId: 0, intent: `drill-${restoreId}`, progressKey: newProgressKey() }
      await putJob(db, { ...owner, id: newJobId(), kind: drillJob, input, now, deadline: now + deadlineMs })
      began += 1
    }
    return began
  })
}

const nobody = { kind: 'drill', service_id: null, user_id: null, user_name: null, by_provider: false } as const

/** Throws errors of stores and archives, and what is built wrongly. Null: the backup is not there any more. */
export async function drill(app: AppContext, { backupId }: DrillInput): Promise<StoredBackup | null> {
  const backup = await inTransaction(app, system, (db) => storedNow(db, backupId), 'reading')
  if (backup?.state !== 'done') return null
  // Nobody is billed for what we look after ourselves.
  const unmetered = () => undefined
  // Where the database is elsewhere, nothing has made it yet.
  mkdirSync(app.config.dataDir, { recursive: true })
  const draft = openDraft(app.config.dataDir)
  try {
    const path = join(draft.path, 'drill.db')
    await buildData(path, readBackup(app, backup, unmetered))
    const built = digested(readDataFile(path))
    for await (const _ of built);
    if (built.contents().digest !== backup.digest)
      throw new StoreError('damaged', 'What was put back is not what was written.')
  } finally {
    draft.remove()
  }
  return backup
}
