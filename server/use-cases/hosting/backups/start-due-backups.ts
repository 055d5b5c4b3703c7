/**
 * Starts due backups and drills, and ends abandoned backups. The schedule runs it every minute. Each start claims a row in the transaction
 * that requests the job, so that two nodes do not start it twice.
 */
import { getBackupRefusal } from '#domain/backups.ts'
import { addDays } from '#domain/plain-dates.ts'
import { toPlainDate, getStartOfDay } from '#domain/time.ts'
import { type PdbType, backupTypes } from '#contract/backups.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { listAbandonedBackups, countScheduledRuns } from '#server/db/hosting/backup-retention.ts'
import { setNextRun, listSubscribedServices } from '#server/db/hosting/planned-runs.ts'
import { lockService, type ServiceListRow } from '#server/db/hosting/services.ts'
import { updateStoredBackup } from '#server/db/hosting/stored-backups.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { beginBackupByClock } from '#server/use-cases/hosting/backups/begin-backup.ts'
import { recordBackupOutcome } from '#server/use-cases/hosting/backups/failing-backups.ts'
import { startDueDrills } from '#server/use-cases/hosting/backups/drill.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

const minuteMs = 60_000
/** Length of the backup night in minutes, from the configured hour on. */
const nightMinutes = 240
/** Maximum number of scheduled backups that run at the same time, so that requests of users run in between. */
const maxRunning = 10
/**
 * Minimum age in ms of a running backup without a job that is ended as abandoned. The row is written before its job, so a younger one may
 * still get a job.
 */
const abandonedMs = 10 * minuteMs
const maxAbandoned = 20

/**
 * Returns the start of the next scheduled backup in epoch ms. Each service has its own minute of the night, so that not all backups start
 * together.
 */
export function getNextNightTime(
  { timeZone, backupHour }: Pick<AppContext['config'], 'timeZone' | 'backupHour'>,
  { id, type }: { id: number; type: PdbType },
  now: number,
): number {
  // 97 shares no divisor with the length of the night, so services with neighbouring ids start far apart.
  const minuteOfNight = (id * 97 + (type === 'pdb2rds' ? nightMinutes / 2 : 0)) % nightMinutes
  const getNightTime = (day: string) => getStartOfDay(timeZone, day) + (backupHour * 60 + minuteOfNight) * minuteMs
  const today = toPlainDate(timeZone, now)
  return getNightTime(today) > now ? getNightTime(today) : getNightTime(addDays(today, 1))
}

export async function startDueBackups(app: AppContext): Promise<number> {
  await failAbandonedBackups(app)
  const startedCount = (await startScheduled(app)) + (await startDueDrills(app))
  if (startedCount > 0) notifyJobs(app)
  return startedCount
}

async function startScheduled(app: AppContext): Promise<number> {
  const now = app.clock()
  const { today } = getBusinessMoment({ app, now })
  const { rows, runningCount } = await readAsSystem(app, async (db) => ({
    rows: await listSubscribedServices(db, today),
    runningCount: await countScheduledRuns(db),
  }))
  let startedCount = 0
  for (const row of rows)
    for (const type of backupTypes) {
      if (runningCount + startedCount >= maxRunning) return startedCount
      if ((row[`next_${type}`] ?? now) > now || getBackupRefusal(type, row, today) !== null) continue
      if (!(await writeAsSystem(app, (db) => startBackup(db, app, row, type)))) continue
      startedCount += 1
      announceServices(app, row.company_id)
    }
  return startedCount
}

/** Returns false if an operation is running, or another node has changed the row in between. */
async function startBackup(db: DatabaseHandle, app: AppContext, row: ServiceListRow, type: PdbType): Promise<boolean> {
  const now = app.clock()
  const column = `next_${type}` as const
  await takeChangeNumber(db, row.company_id)
  const lockedService = await lockService(db, row.id)
  if (!lockedService || lockedService.operation !== null || lockedService[column] !== row[column]) return false
  await setNextRun(db, row.id, type, getNextNightTime(app.config, { id: row.id, type }, now))
  return await beginBackupByClock(db, row, type, now)
}

async function failAbandonedBackups(app: AppContext): Promise<void> {
  const now = app.clock()
  const rows = await readAsSystem(app, (db) => listAbandonedBackups(db, now - abandonedMs, maxAbandoned))
  for (const row of rows)
    await writeAsSystem(app, async (db) => {
      const fault = 'interrupted'
      const isEnded = await updateStoredBackup(db, row, { state: 'failed', fault, end_time: now }, now)
      if (isEnded) await recordBackupOutcome(db, { serviceId: row.service_id, type: row.pdb_type, fault }, now)
    })
}
