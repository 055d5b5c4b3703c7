/** Backs up a service in one step. After a kill it starts from the beginning. */
import { setTimeout as wait } from 'node:timers/promises'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { lockService } from '#server/db/hosting/services.ts'
import { setNextRun } from '#server/db/hosting/planned-runs.ts'
import { type StoredBackup, findAnyStoredBackup, updateStoredBackup } from '#server/db/hosting/stored-backups.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { StoredBackupRow } from '#contract/backups.ts'
import type { JobKind, JobStepResult, JobContext } from '#server/jobs/job-kind.ts'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import type { BackupInput } from '#server/use-cases/hosting/backups/begin-backup.ts'
import { recordBackupOutcome } from '#server/use-cases/hosting/backups/failing-backups.ts'
import { readBackupFault, toBackupFault } from '#server/use-cases/hosting/backups/faults.ts'
import { type BackupResult, makeBackup } from '#server/use-cases/hosting/backups/make-backup.ts'
import { createProgressReporter } from '#server/use-cases/hosting/backups/progress-reporter.ts'
import { toStoredBackupRow } from '#server/use-cases/hosting/backups/stored-backup-list.ts'

export interface BackupPoint {
  tries: number
  result: BackupResult | null
}

/**
 * Delays before a failed backup is tried again, in ms. `delaysMs` apply within a job, `scheduledRetryMs` to the next job of the schedule.
 */
export const backupRetries = { delaysMs: [2_000, 10_000, 30_000], scheduledRetryMs: 3_600_000 }

type BackupContext = JobContext<BackupInput, BackupPoint>

export const createBackupJob = ({ isQuiet }: { isQuiet: boolean }): JobKind<BackupInput, BackupPoint, unknown> => ({
  isResumable: true,
  ...(isQuiet && { isQuiet: true as const }),
  step: runStep,
  settle: settleBackup,
  onEnded: ({ app, input }) => announceServices(app, input.companyId),
})

async function runStep({
  app,
  input,
  point,
  reportProgress,
}: BackupContext): Promise<JobStepResult<BackupPoint, unknown>> {
  if (point?.result) return { kind: 'done', output: null }
  const tries = point?.tries ?? 0
  try {
    const result = await makeBackup(app, input.backupId, createProgressReporter(reportProgress))
    return { kind: 'on', point: { tries, result }, percent: 95 }
  } catch (error) {
    const fault = toBackupFault(error)
    if (fault === null) throw error
    app.log.warn({ event: 'backup_failed', err: error, backup: input.backupId, fault }, 'a backup failed')
    const waitMs = backupRetries.delaysMs[tries]
    if (fault !== 'unreachable' || waitMs === undefined) throw new ProblemError('STATE_CONFLICT', { why: fault })
    await wait(waitMs)
    return { kind: 'on', point: { tries: tries + 1, result: null }, percent: 1 }
  }
}

async function settleBackup(
  db: DatabaseHandle,
  context: BackupContext,
  problem: ProblemError | null,
): Promise<StoredBackupRow | null> {
  const { app, input } = context
  const backup = await findAnyStoredBackup(db, input.backupId)
  // The backup was ended while this job ran. `expireBackups` deletes its stored data.
  if (backup?.state !== 'running') return backup && toStoredBackupRow(app, backup, input.toProvider)
  const now = app.clock()
  // The company's counter is locked before the service's row and the services' counter, in the order that all transactions use.
  await takeChangeNumber(db, backup.company_id)
  const service = await lockService(db, backup.service_id)
  const hasData = service !== null && (service.system_status !== 0 || service.erase_date !== null)
  const result = hasData && problem === null ? (context.point?.result ?? null) : null
  const endedBackup = result
    ? await finishBackup(db, backup, result, now)
    : await failBackup(db, app, { backup, input, hasData }, problem)
  return endedBackup && toStoredBackupRow(app, endedBackup, input.toProvider)
}

async function finishBackup(
  db: DatabaseHandle,
  backup: StoredBackup,
  result: BackupResult,
  now: number,
): Promise<StoredBackup | null> {
  const endedBackup = await updateStoredBackup(db, backup, { ...result, state: 'done', end_time: now }, now)
  await recordBackupOutcome(db, { serviceId: backup.service_id, type: backup.pdb_type, fault: null }, now)
  return endedBackup
}

interface FailedBackup {
  backup: StoredBackup
  input: BackupInput
  hasData: boolean
}

async function failBackup(
  db: DatabaseHandle,
  app: AppContext,
  { backup, input, hasData }: FailedBackup,
  problem: ProblemError | null,
): Promise<StoredBackup | null> {
  const now = app.clock()
  const { service_id: serviceId, pdb_type: type } = backup
  const fault = problem && hasData ? readBackupFault(problem) : 'no_instance'
  const endedBackup = await updateStoredBackup(db, backup, { state: 'failed', fault, end_time: now }, now)
  const { userId, userCompanyId, requestId, intent, trail } = input
  const header = { companyId: userCompanyId, userId: userId || null, now, status: -1, intent, requestId } as const
  const { info, ...entryFields } = trail
  await addAuditEntries(db, header, [
    { code: 'backup', operation: 'backup', info: { ...info, problem: fault }, ...entryFields },
  ])
  // If the service's data was deleted while the job ran, a missing backup needs no warning.
  if (!hasData) return endedBackup
  if (backup.cause === 'schedule') await setNextRun(db, serviceId, type, now + backupRetries.scheduledRetryMs)
  await recordBackupOutcome(db, { serviceId, type, fault }, now)
  return endedBackup
}
