/** Tests a backup by restoring it into an empty instance. A success is recorded in the backup's row, a failure in the service's row. */
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { finishRestore } from '#server/db/hosting/restores.ts'
import { findLatestBackup, findAnyStoredBackup, updateStoredBackup } from '#server/db/hosting/stored-backups.ts'
import type { JobKind, JobContext } from '#server/jobs/job-kind.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { runDrill, type DrillInput } from '#server/use-cases/hosting/backups/drill.ts'
import { recordBackupOutcome } from '#server/use-cases/hosting/backups/failing-backups.ts'
import { readBackupFault, toBackupFault } from '#server/use-cases/hosting/backups/faults.ts'

type DrillContext = JobContext<DrillInput, never>

export const createDrillJob = (): JobKind<DrillInput, never, null> => ({
  // Data that a killed drill leaves behind is deleted by the next drill.
  isResumable: true,
  isQuiet: true,
  settle: settleDrill,
  async step({ app, input }) {
    try {
      const backup = await runDrill(app, input)
      if (backup) announceServices(app, backup.company_id)
      return { kind: 'done', output: null }
    } catch (error) {
      const fault = toBackupFault(error)
      if (fault === null) throw error
      app.log.warn(
        { event: 'restore_drill_failed', err: error, backup: input.backupId, fault },
        'a test restore of a backup failed',
      )
      // An unreachable host or store is retried.
      if (fault === 'unreachable') throw error
      throw new ProblemError('STATE_CONFLICT', { why: fault })
    }
  },
})

async function settleDrill(
  db: DatabaseHandle,
  { app, input }: DrillContext,
  problem: ProblemError | null,
): Promise<null> {
  const now = app.clock()
  const backup = await findAnyStoredBackup(db, input.backupId)
  const fault = problem && readBackupFault(problem)
  await finishRestore(db, input.restoreId, fault, now)
  if (backup?.state !== 'done') return null
  const { service_id: serviceId, pdb_type: type } = backup
  await takeChangeNumber(db, backup.company_id)
  if (fault === null) await updateStoredBackup(db, backup, { drilled: now }, now)
  else await recordBackupOutcome(db, { serviceId, type, fault }, now)
  // A successful drill ends the warning about failing backups, unless the latest backup of this type failed.
  if (fault === null && (await findLatestBackup(db, serviceId, type, 'ended'))?.state !== 'failed')
    await recordBackupOutcome(db, { serviceId, type, fault: null }, now)
  return null
}
