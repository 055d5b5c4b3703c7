import { listItems } from '#server/db/payments/payment-groups.ts'
import { type PayableItemRef, type PayableRef, sortItems } from '#server/db/payments/payables.ts'
import { createFieldError } from '#server/problems/problem-error.ts'
import {
  type LockedItem,
  type LockedPayable,
  type PaymentContext,
  toLockedPayable,
} from '#server/use-cases/payments/payable.ts'
import { buildBackupPayable } from '#server/use-cases/payments/payable-backups.ts'
import { buildOrderPayable } from '#server/use-cases/payments/payable-orders.ts'
import { buildTrafficPayable } from '#server/use-cases/payments/payable-traffic.ts'

const buildersByKind = { order: buildOrderPayable, backup: buildBackupPayable, traffic: buildTrafficPayable } as const

/** Locks the payable, with all its items, until the commit. Returns null if it does not exist. */
export const findPayable = async (context: PaymentContext, payableRef: PayableRef): Promise<LockedPayable | null> =>
  lockItems(context, await listItems(context.db, payableRef))

/**
 * Locks the items in the order that all transactions use. Returns null if one of them does not exist. Throws VALIDATION_ERROR if an item is
 * named twice.
 */
export async function lockItems(
  context: PaymentContext,
  itemRefs: readonly PayableItemRef[],
): Promise<LockedPayable | null> {
  requireDistinctItems(itemRefs)
  const items: LockedItem[] = []
  for (const { kind, id } of sortItems(itemRefs)) {
    const item = await buildersByKind[kind](context, id)
    if (!item) return null
    items.push(item)
  }
  return toLockedPayable(items)
}

/** The message says which item is repeated, such as `order 5`. */
function requireDistinctItems(itemRefs: readonly PayableItemRef[]): void {
  const names = itemRefs.map(({ kind, id }) => `${kind} ${id}`)
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined) throw createFieldError('items', 'REPEATED', repeated)
}
