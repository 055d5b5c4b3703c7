/**
 * Defines the common interface of orders, backup subscriptions and a month's traffic (D25, D66), and what a payment pays: one of them, or
 * several that are paid together, all or none (decision 110).
 */
import type { ContractRefusal } from '#domain/contracts.ts'
import { type Currency, getSmaller, readAmount, writeAmount } from '#domain/money.ts'
import type { Timestamp } from '#domain/time.ts'
import {
  type PayableColumns,
  type PayableItemRef,
  type PayableRef,
  toItemColumns,
} from '#server/db/payments/payables.ts'
import type { ChangeStamp } from '#server/db/orders/orders.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'

/** The parts of `UseCaseContext` that a payment needs. Webhooks and jobs have no caller. */
export type PaymentContext = Pick<UseCaseContext, 'db' | 'app' | 'now'>

/** The parts of a payment that an invoice names. */
export interface PaymentDetails {
  gateway: string
  /** The gateway's id of the payment. A payment with the same gateway and id is applied only once. */
  reference: string
  /** Time at which the gateway took the money, in epoch ms. */
  paidAt: number
  /** Purchase order number of the payer. */
  poNumber?: string | null
  /** The part that credit pays, decimal text with two decimals. Omitted: none (decision 124). */
  credit?: string
}

export interface ReceivedPayment extends PaymentDetails {
  /** What the gateway took, without credit. Decimal text with two decimals. */
  amount: string
  /** The gateway's own code if the portal does not know the currency. */
  currency: Currency | (string & {})
  attemptId?: number
}

/** Reasons why the payment of a task cannot be applied. */
export type ApplyRefusal =
  | 'disputed'
  | 'paidAlready'
  | 'anotherAmount'
  | 'anotherCurrency'
  | 'newerOrder'
  | 'codeTaken'
  | 'contractEnded'
  | 'serviceGone'

export interface LockedItem {
  itemRef: PayableItemRef
  companyId: number
  code: string
  currency: Currency
  pay_amount: string
  /** The last second in which the payable can be paid (D31), or null if there is no limit. */
  due: Timestamp | null
  isDeleted: boolean
  isPaid: boolean
  isReplaced: boolean
  /** True for a change whose contract has ended. Its payment has no effect, even if it was started in time. */
  hasEnded: boolean
  /** The reason why no payment may be started now, or null if one may. */
  refusal: ContractRefusal | null
  /** Whether the payable can no longer take effect although the payment was started in time, for example because of a newer order. */
  isOvertaken(): Promise<boolean>
  /** Returns why the payable can no longer take effect although the payment matches, or null if it can. */
  findReviveRefusal(): Promise<ApplyRefusal | null>
  /** Restores an expired or deleted row, so that it can take effect. */
  revive(changeStamp: ChangeStamp): Promise<void>
  /**
   * Puts the payment into effect and creates the invoice. Returns facts for the audit entry. Takes numbers of contracts and invoices, and
   * not the services' counter.
   */
  takeEffect(payment: PaymentDetails, changeStamp: ChangeStamp): Promise<Record<string, string>>
  /**
   * The last step: it takes the services' counter, which stays locked until the commit. Must be called after `takeEffect` of all items: if
   * numbers were taken after the counter, two companies that pay at the same time would deadlock.
   */
  updateService(changeStamp: ChangeStamp): Promise<void>
  auditTarget: Pick<AuditEntry, 'code' | 'info'>
  status: { before: string; after: string }
}

/** What a payment pays: one locked item, or several of one company and currency. All of them take effect or none. */
export interface LockedPayable {
  /** In the order of `sortItems`. */
  items: readonly [LockedItem, ...LockedItem[]]
  companyId: number
  currency: Currency
  /** The sum of all items. */
  pay_amount: string
  /** The earliest due time of the items. */
  due: Timestamp | null
  /** Whether an item is deleted, so that the payable cannot be paid. */
  isDeleted: boolean
  /** Whether all items are paid. */
  isPaid: boolean
  /** The reason why no payment may be started now, of the first item that has one. */
  refusal: ContractRefusal | null
}

/** Returns null without items. */
export function toLockedPayable(items: readonly LockedItem[]): LockedPayable | null {
  const [firstItem, ...otherItems] = items
  if (!firstItem) return null
  const dueTimes = items.flatMap(({ due }) => due ?? [])
  return {
    items: [firstItem, ...otherItems],
    companyId: firstItem.companyId,
    currency: firstItem.currency,
    pay_amount: writeAmount(items.reduce((sum, { pay_amount }) => sum + readAmount(pay_amount), 0n)),
    due: dueTimes.toSorted()[0] ?? null,
    isDeleted: items.some(({ isDeleted }) => isDeleted),
    isPaid: items.every(({ isPaid }) => isPaid),
    refusal: items.find(({ refusal }) => refusal !== null)?.refusal ?? null,
  }
}

export interface AppliedItem {
  item: LockedItem
  details: Record<string, string>
}

/** Puts all items into effect. Credit pays the first items first. Returns the facts of each for its audit entry. */
export async function applyToItems(
  { items }: LockedPayable,
  payment: PaymentDetails,
  changeStamp: ChangeStamp,
): Promise<AppliedItem[]> {
  const appliedItems: AppliedItem[] = []
  let credit = readAmount(payment.credit ?? '0.00')
  for (const item of items) {
    const part = getSmaller(credit, readAmount(item.pay_amount))
    credit -= part
    const details = await item.takeEffect({ ...payment, credit: writeAmount(part) }, changeStamp)
    appliedItems.push({ item, details })
  }
  for (const item of items) await item.updateService(changeStamp)
  return appliedItems
}

/** Returns the columns of an attempt or a payment for the payable. With a group, they also name its first item (migration 059). */
export const toPaidColumns = (
  { kind, id }: PayableRef,
  { items: [firstItem] }: LockedPayable,
): Partial<PayableColumns> => ({
  ...toItemColumns(firstItem.itemRef),
  group_id: kind === 'group' ? id : null,
})
