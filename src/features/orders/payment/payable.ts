/** What of a service can be paid now (D34, D35). */
import type { RowRef } from '#contract/endpoint.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { PaymentDue } from '#domain/dues.ts'
import type { UnpaidOrder } from '#features/orders/draft/submit-order.ts'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'

/** A row that was made on this device has no number yet. */
export type ListedDue = Omit<PaymentDue, 'id'> & { id: RowRef }

/** All that is to be paid for the service of a row, soonest first. */
export function getDues(row: OrderRow): readonly ListedDue[] {
  const { id, state, type, currency, pay_amount: amount, due, pending } = row
  // A row that an earlier build stored has none.
  const dues = row.dues ?? []
  if (dues.length > 0) return dues
  const ownDue = { contractType: 'CONTRACT', currency, change: null, until: null, month: null } as const
  if (state === 'unpaid') return amount === null ? [] : [{ ...ownDue, id, type, amount, due: due ?? '' }]
  return pending ? [{ ...ownDue, ...pending }] : []
}

export const toPayableOrder = (due: ListedDue): PayableOrder => ({
  id: due.id,
  contractType: due.contractType,
  currency: due.currency,
  amount: due.amount,
  pay_amount: due.amount,
  due: due.due || null,
  dueSubject: due,
})

export const getPayableOrders = (row: OrderRow): PayableOrder[] => getDues(row).map(toPayableOrder)

/** The order itself, or the change or extension that waits beside it; null: nothing. */
export const findPayableOrder = (row: OrderRow): PayableOrder | null =>
  getPayableOrders(row).find(({ contractType }) => contractType === 'CONTRACT') ?? null

/** The change or extension that waits beside a contract, and that a new one would replace (D32). */
export function findPendingOrder(row: OrderRow): UnpaidOrder | null {
  const { pending } = row
  if (!pending) return null
  const { change = null, until = null } = getDues(row).find(({ id }) => id === pending.id) ?? {}
  return { ...pending, change, until }
}
