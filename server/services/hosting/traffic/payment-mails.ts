/** Mails about what backups cost: asked for with what they are about, and dropped where that is no longer so when they are sent. */
import { dueOf } from '#domain/contracts.ts'
import { monthOf } from '#domain/fees/traffic.ts'
import { grouped } from '#domain/money.ts'
import { timestampIn } from '#domain/time.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { Handle } from '#server/db/handle.ts'
import { type PayableRef, payableBackup, payableTraffic } from '#server/db/payments/payables.ts'
import { invoiceOf } from '#server/db/payments/payments.ts'
import { shownOrderOf } from '#server/db/hosting/services.ts'
import type { AppContext } from '#server/context.ts'
import { momentOf } from '#server/services/orders/business-time.ts'

export type BackupPaymentMail = 'backup-paid'
export type TrafficMail = 'traffic-paid' | 'traffic-due' | 'traffic-overdue'

export type AskedOfPayment = { mail: BackupPaymentMail; backupId: number } | { mail: TrafficMail; trafficId: number }

interface PaymentWords {
  service: string
  date: string
  amount: string
  path: string
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
