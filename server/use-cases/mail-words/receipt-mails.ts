import { groupThousands } from '#domain/money.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { PayableItemRef } from '#server/db/payments/payables.ts'
import { findInvoice } from '#server/db/payments/payments.ts'

/** Returns the values of the invoice, or null if there is no invoice. Later changes of the paid item have no effect. */
export async function readReceiptMailValues(db: DatabaseHandle, itemRef: PayableItemRef) {
  const invoice = await findInvoice(db, itemRef)
  if (!invoice) return null
  const { service, currency, pay_amount, payment } = invoice.content
  return {
    service: service.code,
    date: payment.paid,
    amount: `${currency} ${groupThousands(pay_amount)}`,
    invoice: invoice.code,
  }
}
