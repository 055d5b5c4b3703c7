/**
 * What time does to orders is true by itself; this writes it down and tells people: orders whose time to pay is over, backups among
 * them, and reminders. Each is a row that is taken in the transaction that asks for the mails, so a kill, or two nodes at once, make
 * none of them twice and lose none.
 */
import { randomBytes } from 'node:crypto'
import { backupState } from '#domain/backups.ts'
import { dueWithin, remindersDue, stateOf } from '#domain/contracts.ts'
import { timestampIn } from '#domain/time.ts'
import type { Handle } from '#server/db/handle.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import {
  isExtendedBackup,
  type RemindedBackup,
  remindedBackups,
  takeBackupReminder,
} from '#server/db/hosting/backup-reminders.ts'
import { overdueBackups, updateBackup } from '#server/db/hosting/backups.ts'
import { touchService } from '#server/db/hosting/services.ts'
import { putJob } from '#server/db/jobs.ts'
import {
  alertedOrOrderingUsers,
  numberExpired,
  orderingUsers,
  overdueOrders,
  type RemindedOrder,
  remindedOrders,
  takeReminder,
} from '#server/db/orders/reminders.ts'
import { touchListedOrder } from '#server/db/orders/unpaid-matters.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { settleCode } from '#server/db/orders/service-codes.ts'
import type { AppContext } from '#server/context/context.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import type { BackupReminderMail, OrderMail } from '#server/use-cases/mail/mail-kinds.ts'
import { lapseBounds } from '#server/use-cases/hosting/traffic/suspension.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { askMail } from '#server/use-cases/mail/request-mail.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { endPayments } from '#server/use-cases/payments/request-reconciliation.ts'
import { mailOf } from '#server/use-cases/mail-words/order-mails.ts'

export const tendJob = 'tend-orders'
const hourMs = 3_600_000
/** Of one transaction. */
const most = 50

/** Up to which order, or backup, reminders were looked for; null: what is overdue comes first. */
type Point = { after: number | null; of?: 'backups' }

export const tendOrders = (): JobKind<unknown, Point, null> => ({
  resumes: true,
  quiet: true,
  async step({ app, point }) {
    const asSystem = <T>(work: (db: Handle) => Promise<T>) => inTransaction(app, { role: 'portal_system' }, work)
    const after = point?.after ?? null
    if (after === null) {
      const settled = await asSystem((db) => settle(db, app))
      const lapsed = await asSystem((db) => lapse(db, app))
      const told = await asSystem((db) => numberExpired(db, momentOf({ app, now: app.clock() }), most))
      if (settled + lapsed > 0) notifyJobs(app)
      const isThrough = settled < most && lapsed < most && told < most
      return { kind: 'on', point: { after: isThrough ? 0 : null }, percent: isThrough ? 50 : 10 }
    }
    const isOfBackups = point?.of === 'backups'
    const { last, sent } = await asSystem((db) => (isOfBackups ? remindOfBackups : remind)(db, app, after))
    if (sent > 0) notifyJobs(app)
    if (isOfBackups)
      return last === null
        ? { kind: 'done', output: null }
        : { kind: 'on', point: { after: last, of: 'backups' }, percent: 80 }
    return last === null
      ? { kind: 'on', point: { after: 0, of: 'backups' }, percent: 70 }
      : { kind: 'on', point: { after: last }, percent: 60 }
  },
})

async function settle(db: Handle, app: AppContext): Promise<number> {
  const now = app.clock()
  const moment = momentOf({ app, now })
  const overdue = await overdueOrders(db, moment, most)
  for (const order of overdue) {
    await settleCode(db, order.code, moment)
    await endPayments(db, { kind: 'order', id: order.id }, now)
    await mailAbout(db, order, 'order-overdue', now)
  }
  return overdue.length
}

/** Backups that were not paid in time (D31). */
async function lapse(db: Handle, app: AppContext): Promise<number> {
  const now = app.clock()
  const overdue = await overdueBackups(db, lapseBounds({ app, now }), most)
  // The companies' counters in one order for all nodes, and the services' after them: they stay locked until the commit.
  for (const { id, company_id, service_code: code } of overdue.toSorted((a, b) => a.company_id - b.company_id)) {
    const change = await takeChange(db, company_id)
    await updateBackup(db, id, { status: -1 }, { change, time: now })
    await touchListedOrder(db, { companyId: company_id, code }, change)
    await endPayments(db, { kind: 'backup', id }, now)
    await mailAboutBackup(db, { id, company_id }, 'backup-overdue', now)
  }
  for (const { company_id, service_code } of overdue) await touchService(db, company_id, service_code)
  return overdue.length
}

async function remind(db: Handle, app: AppContext, after: number): Promise<{ last: number | null; sent: number }> {
  const now = app.clock()
  const moment = momentOf({ app, now })
  const orders = await remindedOrders(db, moment, after, most)
  let sent = 0
  for (const order of orders)
    for (const reminder of remindersDue({ ...order, state: stateOf(order, moment.now) }, moment.today)) {
      if (!(await takeReminder(db, order, reminder, now))) continue
      await mailAbout(db, order, mailOf(reminder), now)
      sent += 1
    }
  return { last: orders.length < most ? null : (orders.at(-1)?.id ?? null), sent }
}

/** Backups that end or wait to be paid, as contracts (decision 77). What was extended ends no more. */
async function remindOfBackups(
  db: Handle,
  app: AppContext,
  after: number,
): Promise<{ last: number | null; sent: number }> {
  const now = app.clock()
  const moment = momentOf({ app, now })
  const backups = await remindedBackups(db, moment, after, most)
  let sent = 0
  for (const backup of backups) {
    if (backup.status === 1 && (await isExtendedBackup(db, backup))) continue
    const due = dueWithin(timestampIn(app.config.timeZone, backup.create_time), backup.period_end)
    const state = backupState({ ...backup, due }, moment.now)
    for (const reminder of remindersDue({ ...backup, due, state, alert_date: null }, moment.today)) {
      if (!(await takeBackupReminder(db, backup, reminder, now))) continue
      await mailAboutBackup(db, backup, backupMails[reminder.of], now)
      sent += 1
    }
  }
  return { last: backups.length < most ? null : (backups.at(-1)?.id ?? null), sent }
}

const backupMails = { due: 'backup-due', expiry: 'backup-expiry', expired: 'backup-expired' } as const

async function mailAboutBackup(
  db: Handle,
  { id: backupId, company_id: companyId }: Pick<RemindedBackup, 'id' | 'company_id'>,
  mail: BackupReminderMail,
  now: number,
): Promise<void> {
  const isMoney = mail === 'backup-due' || mail === 'backup-overdue'
  const readers = isMoney ? await orderingUsers(db, companyId) : await alertedOrOrderingUsers(db, companyId)
  for (const userId of readers) await askMail(db, { companyId, now }, { mail, userId, backupId })
}

/** In the transaction of what it is about: money to who orders, an end to who uses the service as well (decision 77). */
async function mailAbout(
  db: Handle,
  order: Pick<RemindedOrder, 'id' | 'company_id'>,
  mail: OrderMail,
  now: number,
): Promise<void> {
  const isMoney = mail === 'order-due' || mail === 'order-overdue'
  const readers = isMoney
    ? await orderingUsers(db, order.company_id)
    : await alertedOrOrderingUsers(db, order.company_id)
  for (const userId of readers)
    await askMail(db, { companyId: order.company_id, now }, { mail, userId, orderId: order.id })
}

/** Asks for the work of this hour, which whoever is free takes; another node's asking for the same hour is the same row. */
export async function askToTend(app: AppContext): Promise<void> {
  const now = app.clock()
  const hour = String(Math.floor(now / hourMs))
  // The hour alone makes them one.
  const id = randomBytes(16).toString('hex')
  const nobodys = { companyId: 0, userId: 0, intent: hour, progressKey: '', input: {} }
  await inTransaction(app, { role: 'portal_system' }, (db) =>
    putJob(db, { ...nobodys, id, kind: tendJob, now, deadline: now + hourMs }),
  )
  notifyJobs(app)
}
