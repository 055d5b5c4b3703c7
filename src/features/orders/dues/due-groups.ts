/** Groups selected dues by currency, because one payment has one currency (decision 110). */
import type { TFunction } from 'i18next'
import { sumDues } from '#domain/dues.ts'
import { maxPaidItems } from '#domain/payments.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import type { DueItem } from '#features/orders/dues/due-items.ts'
import { toPayableOrder } from '#features/orders/payment/payable.ts'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'

/** At least one item, all of one currency. */
export type DueGroup = readonly [DueItem, ...DueItem[]]

/** Returns one group for each currency, in the order of the list. */
export const groupByCurrency = (items: readonly DueItem[]): DueGroup[] =>
  [...Map.groupBy(items, ({ due }) => due.currency).values()] as unknown as DueGroup[]

/** Leaves out rows that were created on this device: they have no number yet, so they cannot be paid. */
export const listPayableGroups = (items: readonly DueItem[]): DueGroup[] =>
  groupByCurrency(items.filter(({ due }) => typeof due.id === 'number'))

/** Returns the button "Pay 3 items · USD 9,755.00" and the parts of its label. `payReason`: why nothing can be paid now, or null. */
export function buildGroupButton(t: TFunction<'orders'>, group: DueGroup, payReason: string | null) {
  const count = group.length
  const sum =
    sumDues(group.map(({ due }) => due)).map(({ currency, amount }) => formatAmount(currency, amount))[0] ?? ''
  const countText = t('toPay.pick.items', { count, number: formatNumber(count) })
  return {
    key: group[0].due.currency,
    label: `${t('toPay.pick.pay')} ${countText} · ${sum}`,
    countText,
    sum,
    disabledReason: count > maxPaidItems ? t('toPay.pick.tooMany', { number: formatNumber(maxPaidItems) }) : payReason,
  }
}

/** Returns the sum of a group. One item is paid like any single due. */
export function toPayableGroup([firstItem, ...otherItems]: DueGroup): PayableOrder {
  const firstPayable = toPayableOrder(firstItem.due, firstItem.row)
  if (otherItems.length === 0) return firstPayable
  const items = [firstItem, ...otherItems]
  const amount = sumDues(items.map(({ due }) => due))[0]?.amount ?? '0.00'
  const { id, contractType, currency } = firstItem.due
  return {
    id,
    contractType,
    company_id: firstItem.row.company_id,
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
