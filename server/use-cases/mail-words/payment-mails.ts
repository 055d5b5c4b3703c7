/** Builds the values of mails about the cost of backups. If the reason of a mail no longer applies when it is sent, the mail is dropped. */
import { getBackupState } from '#domain/backups.ts'
import { type ContractState, getDueTime, getDueTimeWithin } from '#domain/contracts.ts'
import { getTrafficMonth } from '#domain/fees/traffic.ts'
import { groupThousands } from '#domain/money.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { toTimestamp } from '#domain/time.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { type PayableBackupRecord, lockPayableBackup, lockPayableTraffic } from '#server/db/payments/payables.ts'
import { isReplacedBackup } from '#server/db/hosting/backups.ts'
import { isExtendedBackup } from '#server/db/hosting/backup-reminders.ts'
import { findListedOrderId } from '#server/db/hosting/services.ts'
import type { AppContext } from '#server/context/context.ts'
import type { PaymentMailRequest, BackupReminderMail } from '#server/use-cases/mail/mail-kinds.ts'
import { readReceiptMailValues } from '#server/use-cases/mail-words/receipt-mails.ts'
import { formatDaysLeft } from '#server/use-cases/mail-words/days-left-text.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { formatDueText } from '#server/use-cases/payments/due-text.ts'

interface PaymentMailValues {
  service: string
  date: string
  amount: string
  path: string
  matter?: string
  left?: string
  month?: string
  invoice?: string
}

/** Returns the current values, or null if the mail is no longer needed. Runs as the system role. */
export async function readPaymentMailValues(
  db: DatabaseHandle,
  app: AppContext,
  request: PaymentMailRequest,
  language: Language,
): Promise<PaymentMailValues | null> {
  if ('backupId' in request) {
    const backup = await lockPayableBackup(db, request.backupId)
    if (request.mail !== 'backup-paid')
      return backup && (await readReminderMailValues(db, app, { mail: request.mail, backup }, language))
    const receipt = await readReceiptMailValues(db, { kind: 'backup', id: request.backupId })
    return backup && receipt && { ...receipt, path: await findOrderPath(db, backup, language) }
  }
  const traffic = await lockPayableTraffic(db, request.trafficId)
  if (!traffic) return null
  const trafficMailValues = {
    month: getTrafficMonth(traffic.period_end),
    path: await findOrderPath(db, traffic, language),
  }
  if (request.mail === 'traffic-paid') {
    const receipt = await readReceiptMailValues(db, { kind: 'traffic', id: traffic.id })
    return receipt && { ...receipt, ...trafficMailValues }
  }
  const dueTime = getDueTime(toTimestamp(app.config.timeZone, traffic.create_time))
  const isOverdue = getBusinessMoment({ app, now: app.clock() }).now > dueTime
  if (traffic.pay_date !== null || isOverdue !== (request.mail === 'traffic-overdue')) return null
  return {
    ...trafficMailValues,
    service: traffic.service_code,
    date: dueTime,
    amount: `${traffic.currency} ${groupThousands(traffic.amount)}`,
  }
}

/** Returns null if the backup was paid, replaced or extended in the meantime. */
async function readReminderMailValues(
  db: DatabaseHandle,
  app: AppContext,
  { mail, backup }: { mail: BackupReminderMail; backup: PayableBackupRecord },
  language: Language,
): Promise<PaymentMailValues | null> {
  const { now, today } = getBusinessMoment({ app, now: app.clock() })
  const dueTime = getDueTimeWithin(toTimestamp(app.config.timeZone, backup.create_time), backup.period_end)
  const isUnpaid = mail === 'backup-due' || mail === 'backup-overdue'
  const state = getBackupState({ status: backup.status, due: dueTime, period_end: backup.period_end }, now)
  if (state !== validStates[mail]) return null
  if (isUnpaid ? await isReplacedBackup(db, backup) : await isExtendedBackup(db, backup)) return null
  const date = isUnpaid ? dueTime.slice(0, 16) : getLastDay(backup.period_end)
  return {
    matter: formatDueText({ type: backup.pdb_type }, language),
    left: formatDaysLeft(today, date.slice(0, 10), language),
    service: backup.service_code,
    date,
    amount: `${backup.currency} ${groupThousands(backup.pay_amount)}`,
    path: await findOrderPath(db, backup, language),
  }
}

const validStates = {
  'backup-due': 'unpaid',
  'backup-overdue': 'invalid',
  'backup-expiry': 'effective',
  'backup-expired': 'expired',
} as const satisfies Record<BackupReminderMail, ContractState>

async function findOrderPath(
  db: DatabaseHandle,
  { company_id: companyId, service_code: code }: { company_id: number; service_code: string },
  language: Language,
): Promise<string> {
  const order = await findListedOrderId(db, { companyId, code })
  return order === null
    ? `/saas/app/contract?lang=${language}`
    : `/saas/app/contract/${order}?tab=subscribe&lang=${language}`
}
