/** Lists the amounts that can be paid now for a service (D34, D35). */
import type { RowRef } from '#contract/endpoint.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { PaymentDue } from '#domain/dues.ts'
import type { UnpaidOrder } from '#features/orders/draft/submit-order.ts'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'

/** `id` may be a local reference, because a row created on this device has no number yet. */
export type ListedDue = Omit<PaymentDue, 'id'> & { id: RowRef }

/** Returns all amounts due for the service of a row, soonest first. */
export function getDues(row: OrderRow): readonly ListedDue[] {
  const { id, state, type, currency, pay_amount: amount, due, pending } = row
  // A row stored by an earlier build has no `dues`.
  const dues = row.dues ?? []
  if (dues.length > 0) return dues
  const ownDue = { contractType: 'CONTRACT', currency, change: null, until: null, month: null } as const
  if (state === 'unpaid') return amount === null ? [] : [{ ...ownDue, id, type, amount, due: due ?? '' }]
  return pending ? [{ ...ownDue, ...pending }] : []
}

export const toPayableOrder = (due: ListedDue, { company_id }: Pick<OrderRow, 'company_id'>): PayableOrder => ({
  company_id,
  id: due.id,
  contractType: due.contractType,
  currency: due.currency,
  amount: due.amount,
  pay_amount: due.amount,
  due: due.due || null,
  dueSubject: due,
})

export const getPayableOrders = (row: OrderRow): PayableOrder[] => getDues(row).map((due) => toPayableOrder(due, row))

/** Returns the order itself, or its pending change or extension. Returns null if neither is payable. */
export const findPayableOrder = (row: OrderRow): PayableOrder | null =>
  getPayableOrders(row).find(({ contractType }) => contractType === 'CONTRACT') ?? null

/** Returns the pending change or extension of a contract, which a new one would replace (D32). */
export function findPendingOrder(row: OrderRow): UnpaidOrder | null {
  const { pending } = row
  if (!pending) return null
  const { change = null, until = null } = getDues(row).find(({ id }) => id === pending.id) ?? {}
  return { ...pending, change, until }
}
