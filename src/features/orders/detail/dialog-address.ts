/** Dialogs of a contract page that are addresses: `?pay=1`, `?pay=TRAFFIC-12` and `?extend=1`. */
import { type ListedDue, getDues } from '#features/orders/payment/payable.ts'
import { formatDueName } from '#features/orders/dues/due-items.ts'
import type { OrderRow } from '#contract/orders.ts'

/** Parameters that are left out of the address of a dialog, because they belong to an earlier state of the page. */
const outdatedParams = ['pay', 'extend', 'edit', 'payment', 'paid'] as const

/** Returns the amount due that `pay` names. `1` is the order, change or extension, or else the earliest amount. */
export function findNamedDue(row: OrderRow, payParam: string): ListedDue | null {
  const dues = getDues(row)
  const due =
    payParam === '1'
      ? (dues.find(({ contractType }) => contractType === 'CONTRACT') ?? dues[0])
      : dues.find((candidate) => formatDueName(candidate) === payParam)
  return due ?? null
}

/** Returns the query with the dialog's parameter, or without any dialog. */
export function toDialogQuery(
  query: URLSearchParams,
  param: { pay: string } | { extend: '1' } | null,
): URLSearchParams {
  const dialogQuery = new URLSearchParams(query)
  for (const name of outdatedParams) dialogQuery.delete(name)
  for (const [name, value] of Object.entries(param ?? {})) dialogQuery.set(name, value)
  return dialogQuery
}
