/**
 * What the clock does about backups, every minute: it begins those that are due, gives up those that nobody works on any more, and
 * begins restore drills. Each is a row that is taken in the transaction that asks for the work, so that two nodes begin none twice.
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
/** Of the night, from the hour that is configured. */
const nightMinutes = 240
/** That wait at once: people's come between them. */
const maxRunning = 10
/** A row is there a moment before its long request. */
const abandonedMs = 10 * minuteMs
const maxAbandoned = 20

/** The next time of the night that is this service's own, so that not all run at once; epoch ms. */
export function getNextNightTime(
  { timeZone, backupHour }: Pick<AppContext['config'], 'timeZone' | 'backupHour'>,
  { id, type }: { id: number; type: PdbType },
  now: number,
): number {
  // 97 has no divisor in common with the night: neighbours are far apart.
  const minuteOfNight = (id * 97 + (type === 'pdb2rds' ? nightMinutes / 2 : 0)) % nightMinutes
  const getNightTime = (day: string) => getStartOfDay(timeZone, day) + (backupHour * 60 + minuteOfNight) * minuteMs
  const today = toPlainDate(timeZone, now)
  return getNightTime(today) > now ? getNightTime(today) : getNightTime(addDays(today, 1))
}

/** Answers how many began. */
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

/** False: somebody else was here in between. */
async function startBackup(db: DatabaseHandle, app: AppContext, row: ServiceListRow, type: PdbType): Promise<boolean> {
  const now = app.clock()
  const column = `next_${type}` as const
  await takeChangeNumber(db, row.company_id)
  const lockedService = await lockService(db, row.id)
  if (!lockedService || lockedService.operation !== null || lockedService[column] !== row[column]) return false
  await setNextRun(db, row.id, type, getNextNightTime(app.config, { id: row.id, type }, now))
  return await beginBackupByClock(db, row, type, now)
}

/** Whose long request was given up, or never came to be. */
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
