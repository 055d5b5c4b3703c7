/** Backup subscriptions as they are paid: the one way in which one takes effect (D15, D21). */
import { dueWithin } from '#domain/contracts.ts'
import { orderStatus } from '#domain/backups.ts'
import { timestampIn } from '#domain/time.ts'
import {
  beginBackups,
  hasNewerBackup,
  isReplacedBackup,
  isServiceOf,
  lastPaidPeriod,
  updateBackup,
} from '#server/db/hosting/backups.ts'
import type { Stamp } from '#server/db/orders/orders.ts'
import { touchListedOrder } from '#server/db/orders/unpaid-matters.ts'
import { type PayableBackup, payableBackup } from '#server/db/payments/payables.ts'
import { invoiceBackup } from '#server/use-cases/payments/invoices.ts'
import type { Payable, PaymentWork } from '#server/use-cases/payments/payable.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

/** Null: there is none of that number. */
export async function backupToPay(till: PaymentWork, id: number): Promise<Payable | null> {
  const { db, app } = till
  const backup = await payableBackup(db, id)
  if (!backup) return null
  const { company_id: companyId, service_id: serviceId, service_code: code, currency, pay_amount } = backup
  const due = dueWithin(timestampIn(app.config.timeZone, backup.create_time), backup.period_end)
  const status = orderStatus(backup.status, due, momentOf(till).now)
  return {
    of: { kind: 'backup', id },
    companyId,
    code,
    currency,
    pay_amount,
    due,
    isDeleted: false,
    isPaid: status === 1,
    isReplaced: backup.status === -1 && (await isReplacedBackup(db, backup)),
    hasEnded: false,
    why: ({ [-1]: 'invalid', 0: null, 1: 'paidAlready' } as const)[status],
    isOvertaken: async () => !(await isServiceOf(db, { companyId, serviceId })),
    async whyNotRevived() {
      if (backup.period_end <= momentOf(till).today) return 'contractEnded'
      if (await hasNewerBackup(db, backup)) return 'newerOrder'
      return (await isServiceOf(db, { companyId, serviceId })) ? null : 'serviceGone'
    },
    revive: async () => undefined,
    async takeEffect(payment, stamp) {
      const invoice = await invoiceBackup(till, companyId, id, payment)
      // Last: the counter of services is taken after the invoice's number (see makeContract).
      await subscribe(till, backup, stamp)
      return { InvoiceNo: invoice }
    },
    entry: { code: 'backup', info: { ServiceCode: code, OrderId: id } },
    status: { before: backup.status === 0 ? 'unpaid' : 'invalid', after: 'effective' },
  }
}

/** The service is backed up from now on, or goes on being so. */
export async function subscribe(
  till: PaymentWork,
  {
    id,
    company_id: companyId,
    service_id: serviceId,
    service_code: code,
    pdb_type: type,
  }: Pick<PayableBackup, 'id' | 'company_id' | 'service_id' | 'service_code' | 'pdb_type'>,
  stamp: Stamp,
): Promise<void> {
  const { db, now } = till
  const of = { companyId, serviceId }
  const last = await lastPaidPeriod(db, of, type)
  const goesOn = last !== null && last.end > momentOf(till).today
  await updateBackup(db, id, { status: 1 }, stamp)
  await touchListedOrder(db, { companyId, code }, stamp.change)
  // Last: the counter of services stays locked until the commit.
  await beginBackups(db, of, { type, now, goesOn })
}
