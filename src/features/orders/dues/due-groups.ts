/** Groups selected dues by currency, because one payment has one currency (decision 110). */
import { sumDues } from '#domain/dues.ts'
import type { DueItem } from '#features/orders/dues/due-items.ts'
import { toPayableOrder } from '#features/orders/payment/payable.ts'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'

/** At least one item, all of one currency. */
export type DueGroup = readonly [DueItem, ...DueItem[]]

/** Returns one group for each currency, in the order of the list. */
export const groupByCurrency = (items: readonly DueItem[]): DueGroup[] =>
  [...Map.groupBy(items, ({ due }) => due.currency).values()] as unknown as DueGroup[]

/** Returns the sum of a group. One item is paid like any single due. */
export function toPayableGroup([firstItem, ...otherItems]: DueGroup): PayableOrder {
  const firstPayable = toPayableOrder(firstItem.due)
  if (otherItems.length === 0) return firstPayable
  const items = [firstItem, ...otherItems]
  const amount = sumDues(items.map(({ due }) => due))[0]?.amount ?? '0.00'
  const { id, contractType, currency } = firstItem.due
  return {
    id,
    contractType,
    currency,
    amount,
    pay_amount: amount,
    due: getFirstDeadline(items),
    items: items.map(({ due, name }) => ({
      id: due.id,
      contractType: due.contractType,
      about: { name, subject: due, currency: due.currency, amount: due.amount },
    })),
  }
}

/** Traffic has no deadline: it can still be paid after its time. */
const getFirstDeadline = (items: readonly DueItem[]): string | null =>
  items
    .filter(({ due }) => due.contractType !== 'TRAFFIC')
    .map(({ due }) => due.due)
    .toSorted()[0] || null
