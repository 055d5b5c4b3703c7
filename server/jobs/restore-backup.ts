/**
 * Restores a backup into a service. The backup is read and verified completely before the data of the service is exchanged in one
 * operation. After a kill the job starts from the beginning.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { restoreBackup as endpoint } from '#contract/backups.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { finishRestore } from '#server/db/hosting/restores.ts'
import { findAnyStoredBackup } from '#server/db/hosting/stored-backups.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import type { JobKind, JobStepResult, JobContext } from '#server/jobs/job-kind.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import type { RestoreInput } from '#server/use-cases/hosting/backups/request-restore.ts'
import { readBackupFault, toBackupFault } from '#server/use-cases/hosting/backups/faults.ts'
import { createProgressReporter } from '#server/use-cases/hosting/backups/progress-reporter.ts'
import { readBackup } from '#server/use-cases/hosting/backups/read-backup.ts'
import { watchStalls, withActivityReports } from '#server/use-cases/hosting/backups/stalls.ts'
import { healthCheckMs } from '#server/use-cases/hosting/health-wait.ts'
import { type OperationPoint, settleOperation } from '#server/use-cases/hosting/settle-operation.ts'
import { openMeter } from '#server/use-cases/hosting/traffic/meter.ts'

type RestoreOutput = OutputOf<typeof endpoint>

/** `next` is the next step: 0 for the data, 1 for the health check, 2 if both are done. */
export interface RestorePoint extends OperationPoint {
  tables: number
  rows: number
  /** Time at which the wait for the service's health began, in epoch ms. */
  waitsSince?: number
  /** Number of tries in which the host or the store was unreachable. */
  tries: number
}

/** Delays before an unreachable host or store is tried again, in ms. */
export const restoreRetries = { delaysMs: [2_000, 10_000, 30_000] }

type RestoreContext = JobContext<RestoreInput, RestorePoint>

export const createRestoreJob = (): JobKind<RestoreInput, RestorePoint, RestoreOutput> => ({
  isResumable: true,
  settle: settleRestore,
  onEnded: ({ app, input }) => announceServices(app, input.companyId),
  async step(context) {
    const point = context.point ?? { next: 0, tables: 0, rows: 0, tries: 0 }
    if (point.next === 0)
      return await restoreData(context, point).catch((error: unknown) => retryOrFail(context, point, error))
    if (point.next === 1) return await checkHealth(context, point)
    const { backupId: backup_id, serviceId: service_id } = context.input
    return { kind: 'done', output: { backup_id, service_id, tables: point.tables, rows: point.rows } }
  },
})

async function restoreData(
  { app, input, reportProgress }: RestoreContext,
  point: RestorePoint,
): Promise<JobStepResult<RestorePoint, RestoreOutput>> {
  const { backupId, restoreId, companyId, serviceId, code, fence } = input
  const backup = await readAsSystem(app, (db) => findAnyStoredBackup(db, backupId))
  if (backup?.state !== 'done') throw new ProblemError('STATE_CONFLICT', { why: 'missing' })
  // The traffic is charged to the subscription of the service that the backup belongs to.
  const trafficRun = { companyId, serviceId: backup.service_id, run: `restore-${restoreId}` }
  const { meter, finish } = openMeter(app, trafficRun)
  const stallWatch = watchStalls()
  const reportMoved = createProgressReporter(reportProgress)
  let movedBytes = 0
  async function countBytes(bytes: number): Promise<void> {
    stallWatch.reportActivity()
    movedBytes += bytes
    reportMoved(movedBytes, backup?.bytes ?? null)
    await meter(bytes)
  }
  /** `finish` runs after all pieces were read and verified, and before any data is exchanged. */
  async function* readPieces(): AsyncGenerator<DataPiece> {
    if (!backup) return
    yield* withActivityReports(readBackup(app, backup, countBytes), stallWatch)
    await finish()
  }
  try {
    await stallWatch.watch(app.hosting.replaceData({ serviceId, code }, readPieces(), { fence }))
  } catch (error) {
    await finish().catch((meterError: unknown) =>
      app.log.warn(
        { event: 'traffic_record_failed', err: meterError, restore: restoreId },
        'could not record the traffic of a restore or backup',
      ),
    )
    throw error
  }
  const { tables, rows } = backup
  return { kind: 'on', point: { ...point, next: 1, tables: tables ?? 0, rows: rows ?? 0 }, percent: 90 }
}

async function retryOrFail(
  { app, input }: RestoreContext,
  point: RestorePoint,
  error: unknown,
): Promise<JobStepResult<RestorePoint, RestoreOutput>> {
  const fault = toBackupFault(error)
  if (fault === null) throw error
  app.log.warn({ event: 'restore_failed', err: error, restore: input.restoreId, fault }, 'a restore failed')
  const waitMs = restoreRetries.delaysMs[point.tries]
  if (fault !== 'unreachable' || waitMs === undefined) throw new ProblemError('STATE_CONFLICT', { why: fault })
  await wait(waitMs)
  return { kind: 'on', point: { ...point, tries: point.tries + 1 }, percent: 1 }
}

/** Waits until the service is healthy or stopped, or until a time limit. The data is already restored, so the job succeeds in each case. */
async function checkHealth(
  { app, input }: RestoreContext,
  point: RestorePoint,
): Promise<JobStepResult<RestorePoint, RestoreOutput>> {
  const waitingSince = point.waitsSince ?? app.clock()
  const { serviceId, code } = input
  const state = await app.hosting.look({ serviceId, code }).catch(() => null)
  const isStopped = state !== null && (state.active === null || state.active.tasks === 0)
  const isSettled = isStopped || state?.healthy === true || app.clock() - waitingSince > healthCheckMs.timeout
  if (!isSettled) await wait(healthCheckMs.interval)
  return { kind: 'on', point: { ...point, next: isSettled ? 2 : 1, waitsSince: waitingSince, state }, percent: 95 }
}

async function settleRestore(
  db: DatabaseHandle,
  context: RestoreContext,
  problem: ProblemError | null,
): Promise<RestoreOutput> {
  const { app, input, point } = context
  await settleOperation(db, { app, input, point }, problem)
  await finishRestore(db, input.restoreId, problem && readBackupFault(problem), app.clock())
  const { backupId: backup_id, serviceId: service_id } = input
  return { backup_id, service_id, tables: point?.tables ?? 0, rows: point?.rows ?? 0 }
}
