/** A month's traffic as it is paid (D22, D25). What is overdue suspends what causes more of it, until it is paid (D31). */
import { readAmount } from '#domain/money.ts'
import { monthOf } from '#domain/fees/traffic.ts'
import { dateIn } from '#domain/time.ts'
import { payTraffic } from '#server/db/hosting/traffic.ts'
import { touchListedOrder } from '#server/db/orders/unpaid-matters.ts'
import { payableTraffic } from '#server/db/payments/payables.ts'
import { settleSuspension } from '#server/use-cases/hosting/traffic/suspension.ts'
import { invoiceTraffic } from '#server/use-cases/payments/invoices.ts'
import type { Payable, PaymentWork } from '#server/use-cases/payments/payable.ts'

/** Null: there is none of that number. It can be paid as long as it stands. */
export async function trafficToPay(till: PaymentWork, id: number): Promise<Payable | null> {
  const { db, app } = till
  const traffic = await payableTraffic(db, id)
  if (!traffic) return null
  const { company_id: companyId, service_id: serviceId, service_code: code, currency, amount } = traffic
  // Nothing is due where all of it was free.
  const isPaid = traffic.pay_date !== null || readAmount(amount) === 0n
  return {
    of: { kind: 'traffic', id },
    companyId,
    code,
    currency,
    pay_amount: amount,
    due: null,
    isDeleted: false,
    isPaid,
    isReplaced: false,
    hasEnded: false,
    why: isPaid ? 'paidAlready' : null,
    isOvertaken: async () => false,
    whyNotRevived: async () => null,
    revive: async () => undefined,
    async takeEffect(payment, stamp) {
      await payTraffic(db, id, { pay_date: dateIn(app.config.timeZone, payment.paidAt), pay_amount: amount }, stamp)
      await touchListedOrder(db, { companyId, code }, stamp.change)
      const invoice = await invoiceTraffic(till, companyId, id, payment)
      // Last: the counter of services stays locked until the commit.
      await settleSuspension(till, { companyId, serviceId })
      return { InvoiceNo: invoice }
    },
    entry: { code: 'backup', info: { ServiceCode: code, Month: monthOf(traffic.period_end) } },
    status: { before: 'unpaid', after: 'paid' },
  }
}
