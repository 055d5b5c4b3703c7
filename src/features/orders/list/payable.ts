/** What of an order can be paid now (D34, D35). */
import type { OrderRow } from '#contract/orders.ts'
import type { Payable } from '#features/orders/payment/payment-api.ts'

/** The order itself, or the change or extension that waits beside it; null: nothing. */
export function payableOf({ id, state, currency, pay_amount, due, pending }: OrderRow): Payable | null {
  if (state === 'unpaid') return { id, currency, pay_amount, due }
  return pending && { id: pending.id, currency, amount: pending.amount, pay_amount: pending.amount, due: pending.due }
}
