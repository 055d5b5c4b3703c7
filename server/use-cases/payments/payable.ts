/** Defines the common interface of orders, backup subscriptions and a month's traffic (D25, D66). */
import type { ContractRefusal } from '#domain/contracts.ts'
import type { Currency } from '#domain/money.ts'
import type { Timestamp } from '#domain/time.ts'
import type { PayableRef } from '#server/db/payments/payables.ts'
import type { ChangeStamp } from '#server/db/orders/orders.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'

/** The parts of `UseCaseContext` that a payment needs. Webhooks and jobs have no caller. */
export type PaymentContext = Pick<UseCaseContext, 'db' | 'app' | 'now'>

export interface ReceivedPayment {
  gateway: string
  /** The gateway's id of the payment. A payment with the same gateway and id is applied only once. */
  reference: string
  /** Decimal text with two decimals. */
  amount: string
  /** The gateway's own code if the portal does not know the currency. */
  currency: Currency | (string & {})
  /** Time at which the gateway took the money, in epoch ms. */
  paidAt: number
  attemptId?: number
}

/** Reasons why the payment of a task cannot be applied. */
export type ApplyRefusal =
  | 'paidAlready'
  | 'anotherAmount'
  | 'anotherCurrency'
  | 'newerOrder'
  | 'codeTaken'
  | 'contractEnded'
  | 'serviceGone'

export interface LockedPayable {
  payableRef: PayableRef
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
  /** Puts the payment into effect and creates the invoice. Returns facts for the audit entry. */
  takeEffect(payment: ReceivedPayment, changeStamp: ChangeStamp): Promise<Record<string, string>>
  auditTarget: Pick<AuditEntry, 'code' | 'info'>
  status: { before: string; after: string }
}
