/** Handles the payment of a month's traffic (D22, D25). While a month is overdue, backups are suspended (D31). */
import { readAmount } from '#domain/money.ts'
import { getTrafficMonth } from '#domain/fees/traffic.ts'
import { toPlainDate } from '#domain/time.ts'
import { payTraffic } from '#server/db/hosting/traffic.ts'
import { touchListedOrder } from '#server/db/orders/unpaid-matters.ts'
import { lockPayableTraffic } from '#server/db/payments/payables.ts'
import { settleSuspension } from '#server/use-cases/hosting/traffic/suspension.ts'
import { createTrafficInvoice } from '#server/use-cases/payments/invoices.ts'
import type { LockedItem, PaymentContext } from '#server/use-cases/payments/payable.ts'

export async function buildTrafficPayable(context: PaymentContext, id: number): Promise<LockedItem | null> {
  const { db, app } = context
  const traffic = await lockPayableTraffic(db, id)
  if (!traffic) return null
  const { company_id: companyId, service_id: serviceId, service_code: code, currency, amount } = traffic
  // No amount is due if all traffic was free.
  const isPaid = traffic.pay_date !== null || readAmount(amount) === 0n
  return {
    itemRef: { kind: 'traffic', id },
    companyId,
    code,
    currency,
    pay_amount: amount,
    due: null,
    isDeleted: false,
    isPaid,
    isReplaced: false,
    hasEnded: false,
    refusal: isPaid ? 'paidAlready' : null,
    isOvertaken: async () => false,
    findReviveRefusal: async () => null,
    revive: async () => undefined,
    async takeEffect(payment, changeStamp) {
      await payTraffic(
        db,
        id,
        { pay_date: toPlainDate(app.config.timeZone, payment.paidAt), pay_amount: amount },
        changeStamp,
      )
      await touchListedOrder(db, { companyId, code }, changeStamp.change)
      return { InvoiceNo: await createTrafficInvoice(context, companyId, id, payment) }
    },
    async updateService() {
      await settleSuspension(context, { companyId, serviceId })
    },
    auditTarget: { code: 'backup', info: { ServiceCode: code, Month: getTrafficMonth(traffic.period_end) } },
    status: { before: 'unpaid', after: 'paid' },
  }
}
