/**
 * What the clock does about backups, every minute: it begins those that are due, gives up those that nobody works on any more, and
 * begins restore drills. Each is a row that is taken in the transaction that asks for the work, so that two nodes begin none twice.
 */
import { whyNotBackedUp } from '#domain/backups.ts'
import { addDays } from '#domain/period.ts'
import { dateIn, startOfDay } from '#domain/time.ts'
import { type BackupType, backupTypes } from '#contract/backups.ts'
import type { Handle } from '#server/db/handle.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import { abandonedBackups, runningByClock } from '#server/db/hosting/kept-backups.ts'
import { setNextRun, subscribedServices } from '#server/db/hosting/planned-runs.ts'
import { serviceForUpdate, type ServiceRow } from '#server/db/hosting/services.ts'
import { updateStored } from '#server/db/hosting/stored-backups.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { beginBackupByClock } from '#server/use-cases/hosting/backups/begin-backup.ts'
import { noteFailing } from '#server/use-cases/hosting/backups/failing-backups.ts'
import { tendDrills } from '#server/use-cases/hosting/backups/drill.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

const system = { role: 'portal_system' } as const
const minuteMs = 60_000
/** Of the night, from the hour that is configured. */
const nightMinutes = 240
/** That wait at once: people's come between them. */
const mostWaiting = 10
/** A row is there a moment before its long request. */
const abandonedMs = 10 * minuteMs
const most = 20

/** The next time of the night that is this service's own, so that not all run at once; epoch ms. */
export function nextNight(
  { timeZone, backupHour }: Pick<AppContext['config'], 'timeZone' | 'backupHour'>,
  { id, type }: { id: number; type: BackupType },
  now: number,
): number {
  // 97 has no divisor in common with the night: neighbours are far apart.
  const minute = (id * 97 + (type === 'pdb2rds' ? nightMinutes / 2 : 0)) % nightMinutes
  const on = (day: string) => startOfDay(timeZone, day) + (backupHour * 60 + minute) * minuteMs
  const today = dateIn(timeZone, now)
  return on(today) > now ? on(today) : on(addDays(today, 1))
}

/** Answers how many began. */
export async function tendBackups(app: AppContext): Promise<number> {
  await giveUpAbandoned(app)
  const began = (await beginDue(app)) + (await tendDrills(app))
  if (began > 0) notifyJobs(app)
  return began
}

async function beginDue(app: AppContext): Promise<number> {
  const now = app.clock()
  const { today } = momentOf({ app, now })
  const { rows, running } = await inTransaction(
    app,
    system,
    async (db) => ({ rows: await subscribedServices(db, today), running: await runningByClock(db) }),
    'reading',
  )
  let began = 0
  for (const row of rows)
    for (const type of backupTypes) {
      if (running + began >= mostWaiting) return began
      if ((row[`next_${type}`] ?? now) > now || whyNotBackedUp(type, row, today) !== null) continue
      if (!(await inTransaction(app, system, (db) => attend(db, app, row, type)))) continue
      began += 1
      announceServices(app, row.company_id)
    }
  return began
}

/** False: somebody else was here in between. */
async function attend(db: Handle, app: AppContext, row: ServiceRow, type: BackupType): Promise<boolean> {
  const now = app.clock()
  const key = `next_${type}` as const
  await takeChange(db, row.company_id)
  const held = await serviceForUpdate(db, row.id)
  if (!held || held.operation !== null || held[key] !== row[key]) return false
  await setNextRun(db, row.id, type, nextNight(app.config, { id: row.id, type }, now))
  return await beginBackupByClock(db, row, type, now)
}

/** Whose long request was given up, or never came to be. */
async function giveUpAbandoned(app: AppContext): Promise<void> {
  const now = app.clock()
  const rows = await inTransaction(app, system, (db) => abandonedBackups(db, now - abandonedMs, most), 'reading')
  for (const row of rows)
    await inTransaction(app, system, async (db) => {
      const fault = 'interrupted'
      const ended = await updateStored(db, row, { state: 'failed', fault, end_time: now }, now)
      if (ended) await noteFailing(db, { serviceId: row.service_id, type: row.pdb_type, fault }, now)
    })
}
