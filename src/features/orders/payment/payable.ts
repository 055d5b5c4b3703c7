/** What of a service can be paid now (D34, D35). */
import type { Id } from '#contract/endpoint.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { Due } from '#domain/dues.ts'
import type { UnpaidOrder } from '#features/orders/draft/submit-order.ts'
import type { Payable } from '#features/orders/payment/payment-api.ts'

/** A row that was made on this device has no number yet. */
export type ListedDue = Omit<Due, 'id'> & { id: Id }

/** All that is to be paid for the service of a row, soonest first. */
export function duesOf(row: OrderRow): readonly ListedDue[] {
  const { id, state, type, currency, pay_amount: amount, due, pending } = row
  // A row that an earlier build stored has none.
  const dues = row.dues ?? []
  if (dues.length > 0) return dues
  const own = { contractType: 'CONTRACT', currency, change: null, until: null, month: null } as const
  if (state === 'unpaid') return amount === null ? [] : [{ ...own, id, type, amount, due: due ?? '' }]
  return pending ? [{ ...own, ...pending }] : []
}

export const toPayable = (due: ListedDue): Payable => ({
  id: due.id,
  contractType: due.contractType,
  currency: due.currency,
  amount: due.amount,
  pay_amount: due.amount,
  due: due.due || null,
  matter: due,
})

export const payablesOf = (row: OrderRow): Payable[] => duesOf(row).map(toPayable)

/** The order itself, or the change or extension that waits beside it; null: nothing. */
export const payableOf = (row: OrderRow): Payable | null =>
  payablesOf(row).find(({ contractType }) => contractType === 'CONTRACT') ?? null

/** The change or extension that waits beside a contract, and that a new one would replace (D32). */
export function unpaidBeside(row: OrderRow): UnpaidOrder | null {
  const { pending } = row
  if (!pending) return null
  const { change = null, until = null } = duesOf(row).find(({ id }) => id === pending.id) ?? {}
  return { ...pending, change, until }
}
