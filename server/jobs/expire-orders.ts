/**
 * Records that unpaid orders and backups have expired, and requests mails about that and about due dates. The state of an order follows
 * from the time; this job only stores it. The transaction that requests a mail also claims the expired row or the reminder. So a kill, or
 * two nodes that run at the same time, neither duplicate nor lose a mail.
 */
import { randomBytes } from 'node:crypto'
import { getBackupState } from '#domain/backups.ts'
import { getDueTimeWithin, findDueReminders, getContractState } from '#domain/contracts.ts'
import { toTimestamp } from '#domain/time.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { isExtendedBackup, listRemindableBackups, claimBackupReminder } from '#server/db/hosting/backup-reminders.ts'
import { lockExpiredBackups, updateBackup } from '#server/db/hosting/backups.ts'
import { touchService } from '#server/db/hosting/services.ts'
import { tryInsertJob } from '#server/db/jobs.ts'
import {
  listAlertedOrOrderingUsers,
  numberExpiredOrders,
  listOrderingUsers,
  lockOverdueOrders,
  listRemindableOrders,
  claimReminder,
} from '#server/db/orders/reminders.ts'
import { touchListedOrder } from '#server/db/orders/unpaid-matters.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { settleServiceCode } from '#server/db/orders/service-codes.ts'
import type { AppContext } from '#server/context/context.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import type { BackupReminderMail, OrderMail } from '#server/use-cases/mail/mail-kinds.ts'
import { getLapseBounds } from '#server/use-cases/hosting/traffic/suspension.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { requestPaymentsEnd } from '#server/use-cases/payments/request-reconciliation.ts'
import { getReminderMail } from '#server/use-cases/mail-words/order-mails.ts'

export const orderUpkeepJob = 'tend-orders'
const hourMs = 3_600_000
/** Maximum number of rows per transaction. */
const maxRowsPerStep = 50

/**
 * `after` is null until all overdue orders and backups are handled. Then it is the id of the last order or backup that was checked for
 * reminders.
 */
type UpkeepPoint = { after: number | null; of?: 'backups' }

export const createOrderUpkeepJob = (): JobKind<unknown, UpkeepPoint, null> => ({
  isResumable: true,
  isQuiet: true,
  async step({ app, point }) {
    const afterId = point?.after ?? null
    if (afterId === null) {
      const overdueCount = await writeAsSystem(app, (db) => expireOrders(db, app))
      const expiredBackupCount = await writeAsSystem(app, (db) => expireBackups(db, app))
      const numberedCount = await writeAsSystem(app, (db) =>
        numberExpiredOrders(db, getBusinessMoment({ app, now: app.clock() }), maxRowsPerStep),
      )
      if (overdueCount + expiredBackupCount > 0) notifyJobs(app)
      const isPhaseComplete =
        overdueCount < maxRowsPerStep && expiredBackupCount < maxRowsPerStep && numberedCount < maxRowsPerStep
      return { kind: 'on', point: { after: isPhaseComplete ? 0 : null }, percent: isPhaseComplete ? 50 : 10 }
    }
    const isBackupPhase = point?.of === 'backups'
    const { lastId, sentCount } = await writeAsSystem(app, (db) =>
      (isBackupPhase ? remindOfBackups : remindOfOrders)(db, app, afterId),
    )
    if (sentCount > 0) notifyJobs(app)
    if (isBackupPhase)
      return lastId === null
        ? { kind: 'done', output: null }
        : { kind: 'on', point: { after: lastId, of: 'backups' }, percent: 80 }
    return lastId === null
      ? { kind: 'on', point: { after: 0, of: 'backups' }, percent: 70 }
      : { kind: 'on', point: { after: lastId }, percent: 60 }
  },
})

async function expireOrders(db: DatabaseHandle, app: AppContext): Promise<number> {
  const now = app.clock()
  const moment = getBusinessMoment({ app, now })
  const orders = await lockOverdueOrders(db, moment, maxRowsPerStep)
  for (const order of orders) {
    await settleServiceCode(db, order.code, moment)
    await requestPaymentsEnd(db, { kind: 'order', id: order.id }, now)
    await requestMails(db, order.company_id, { mail: 'order-overdue', orderId: order.id }, now)
  }
  return orders.length
}

/** Expires backups that were not paid in time (D31). */
async function expireBackups(db: DatabaseHandle, app: AppContext): Promise<number> {
  const now = app.clock()
  const backups = await lockExpiredBackups(db, getLapseBounds({ app, now }), maxRowsPerStep)
  // All nodes lock the companies' counters in this order, then the services' counters, until the commit.
  for (const { id, company_id, service_code: code } of backups.toSorted((a, b) => a.company_id - b.company_id)) {
    const change = await takeChangeNumber(db, company_id)
    await updateBackup(db, id, { status: -1 }, { change, time: now })
    await touchListedOrder(db, { companyId: company_id, code }, change)
    await requestPaymentsEnd(db, { kind: 'backup', id }, now)
    await requestMails(db, company_id, { mail: 'backup-overdue', backupId: id }, now)
  }
  for (const { company_id, service_code } of backups) await touchService(db, company_id, service_code)
  return backups.length
}

interface ReminderResult {
  lastId: number | null
  sentCount: number
}

async function remindOfOrders(db: DatabaseHandle, app: AppContext, afterId: number): Promise<ReminderResult> {
  const now = app.clock()
  const moment = getBusinessMoment({ app, now })
  const orders = await listRemindableOrders(db, moment, afterId, maxRowsPerStep)
  let sentCount = 0
  for (const order of orders)
    for (const reminder of findDueReminders({ ...order, state: getContractState(order, moment.now) }, moment.today)) {
      if (!(await claimReminder(db, order, reminder, now))) continue
      await requestMails(
        db,
        order.company_id,
        { mail: getReminderMail(reminder), orderId: order.id, days: reminder.days },
        now,
      )
      sentCount += 1
    }
  return { lastId: orders.length < maxRowsPerStep ? null : (orders.at(-1)?.id ?? null), sentCount }
}

/** Requests the same reminders as for contracts (decision 77), but none about the end of a backup that was extended. */
async function remindOfBackups(db: DatabaseHandle, app: AppContext, afterId: number): Promise<ReminderResult> {
  const now = app.clock()
  const moment = getBusinessMoment({ app, now })
  const backups = await listRemindableBackups(db, moment, afterId, maxRowsPerStep)
  let sentCount = 0
  for (const backup of backups) {
    if (backup.status === 1 && (await isExtendedBackup(db, backup))) continue
    const dueTime = getDueTimeWithin(toTimestamp(app.config.timeZone, backup.create_time), backup.period_end)
    const state = getBackupState({ ...backup, due: dueTime }, moment.now)
    for (const reminder of findDueReminders({ ...backup, due: dueTime, state, alert_date: null }, moment.today)) {
      if (!(await claimBackupReminder(db, backup, reminder, now))) continue
      await requestMails(
        db,
        backup.company_id,
        { mail: backupMailKinds[reminder.kind], backupId: backup.id, days: reminder.days },
        now,
      )
      sentCount += 1
    }
  }
  return { lastId: backups.length < maxRowsPerStep ? null : (backups.at(-1)?.id ?? null), sentCount }
}

const paymentMails = new Set<OrderMail | BackupReminderMail>([
  'order-due',
  'order-overdue',
  'backup-due',
  'backup-overdue',
])
const backupMailKinds = { due: 'backup-due', expiry: 'backup-expiry', expired: 'backup-expired' } as const

/** Requests a mail about payments for users with the order right, and any other mail also for users with the alert right (decision 77). */
async function requestMails(
  db: DatabaseHandle,
  companyId: number,
  mail: ({ mail: OrderMail; orderId: number } | { mail: BackupReminderMail; backupId: number }) & { days?: number },
  now: number,
): Promise<void> {
  const listRecipients = paymentMails.has(mail.mail) ? listOrderingUsers : listAlertedOrOrderingUsers
  for (const userId of await listRecipients(db, companyId))
    await requestMail(db, { companyId, now }, { ...mail, userId })
}

/** Requests this job, unless a job of this hour is already waiting or running. Each node calls it. */
export async function requestOrderUpkeep(app: AppContext): Promise<void> {
  const now = app.clock()
  const hourKey = String(Math.floor(now / hourMs))
  // The hour in `intent` makes the row unique, so the id may be random.
  const id = randomBytes(16).toString('hex')
  const systemJob = { companyId: 0, userId: 0, intent: hourKey, progressKey: '', input: {} }
  await writeAsSystem(app, (db) =>
    tryInsertJob(db, { ...systemJob, id, kind: orderUpkeepJob, now, deadline: now + hourMs }),
  )
  notifyJobs(app)
}
