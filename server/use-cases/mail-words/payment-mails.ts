/** Mails about what backups cost: asked for with what they are about, and dropped where that is no longer so when they are sent. */
import { backupState } from '#domain/backups.ts'
import { type ContractState, dueOf, dueWithin } from '#domain/contracts.ts'
import { monthOf } from '#domain/fees/traffic.ts'
import { grouped } from '#domain/money.ts'
import { lastDay } from '#domain/period.ts'
import { timestampIn } from '#domain/time.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { Handle } from '#server/db/handle.ts'
import { type PayableBackup, type PayableRef, payableBackup, payableTraffic } from '#server/db/payments/payables.ts'
import { isReplacedBackup } from '#server/db/hosting/backups.ts'
import { isExtendedBackup } from '#server/db/hosting/backup-reminders.ts'
import { invoiceOf } from '#server/db/payments/payments.ts'
import { shownOrderOf } from '#server/db/hosting/services.ts'
import type { AppContext } from '#server/context/context.ts'
import type { AskedOfPayment, BackupReminderMail } from '#server/use-cases/mail/mail-kinds.ts'
import { daysLeftText } from '#server/use-cases/mail-words/days-left-text.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { dueText } from '#server/use-cases/payments/due-text.ts'

interface PaymentWords {
  service: string
  date: string
  amount: string
  path: string
  /** What is to be paid or ends, and how many days are left. */
  matter?: string
  left?: string
  month?: string
  /** The number of the invoice, on a receipt. */
  invoice?: string
}

/** What the mail says of it as it is now; null: there is nothing to say any more. As the system. */
export async function paymentWordsOf(
  db: Handle,
  app: AppContext,
  asked: AskedOfPayment,
  language: Language,
): Promise<PaymentWords | null> {
  if ('backupId' in asked) {
    const backup = await payableBackup(db, asked.backupId)
    if (asked.mail !== 'backup-paid')
      return backup && (await reminderWords(db, app, { mail: asked.mail, backup }, language))
    const receipt = await receiptOf(db, { kind: 'backup', id: asked.backupId })
    return backup && receipt && { ...receipt, path: await pathOf(db, backup, language) }
  }
  const traffic = await payableTraffic(db, asked.trafficId)
  if (!traffic) return null
  const said = { month: monthOf(traffic.period_end), path: await pathOf(db, traffic, language) }
  if (asked.mail === 'traffic-paid') {
    const receipt = await receiptOf(db, { kind: 'traffic', id: traffic.id })
    return receipt && { ...receipt, ...said }
  }
  const due = dueOf(timestampIn(app.config.timeZone, traffic.create_time))
  const isOverdue = momentOf({ app, now: app.clock() }).now > due
  if (traffic.pay_date !== null || isOverdue !== (asked.mail === 'traffic-overdue')) return null
  return { ...said, service: traffic.service_code, date: due, amount: `${traffic.currency} ${grouped(traffic.amount)}` }
}

/** Null: it was paid, replaced or extended meanwhile. */
async function reminderWords(
  db: Handle,
  app: AppContext,
  { mail, backup }: { mail: BackupReminderMail; backup: PayableBackup },
  language: Language,
): Promise<PaymentWords | null> {
  const { now, today } = momentOf({ app, now: app.clock() })
  const due = dueWithin(timestampIn(app.config.timeZone, backup.create_time), backup.period_end)
  const isUnpaid = mail === 'backup-due' || mail === 'backup-overdue'
  const state = backupState({ status: backup.status, due, period_end: backup.period_end }, now)
  if (state !== stateServed[mail]) return null
  if (isUnpaid ? await isReplacedBackup(db, backup) : await isExtendedBackup(db, backup)) return null
  const date = isUnpaid ? due.slice(0, 16) : lastDay(backup.period_end)
  return {
    matter: dueText({ type: backup.pdb_type }, language),
    left: daysLeftText(today, date.slice(0, 10), language),
    service: backup.service_code,
    date,
    amount: `${backup.currency} ${grouped(backup.pay_amount)}`,
    path: await pathOf(db, backup, language),
  }
}

const stateServed = {
  'backup-due': 'unpaid',
  'backup-overdue': 'invalid',
  'backup-expiry': 'effective',
  'backup-expired': 'expired',
} as const satisfies Record<BackupReminderMail, ContractState>

/** As it stands on the invoice, whatever became of it since. */
async function receiptOf(db: Handle, of: PayableRef): Promise<Omit<PaymentWords, 'path'> | null> {
  const invoice = await invoiceOf(db, of)
  if (!invoice) return null
  const { service, currency, pay_amount, payment } = invoice.content
  return {
    service: service.code,
    date: payment.paid,
    amount: `${currency} ${grouped(pay_amount)}`,
    invoice: invoice.code,
  }
}

async function pathOf(
  db: Handle,
  { company_id: companyId, service_code: code }: { company_id: number; service_code: string },
  language: Language,
): Promise<string> {
  const order = await shownOrderOf(db, { companyId, code })
  return order === null
    ? `/saas/app/contract?lang=${language}`
    : `/saas/app/contract/${order}?tab=subscribe&lang=${language}`
}
