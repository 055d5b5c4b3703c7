/** The common interface of orders, backup subscriptions and a month's traffic (D25, D66). */
import type { ContractRefusal } from '#domain/contracts.ts'
import type { Currency } from '#domain/money.ts'
import type { Timestamp } from '#domain/time.ts'
import type { PayableRef } from '#server/db/payments/payables.ts'
import type { ChangeStamp } from '#server/db/orders/orders.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'

/** The parts of a call that a payment needs. Webhooks and jobs have no caller. */
export type PaymentContext = Pick<UseCaseContext, 'db' | 'app' | 'now'>

export interface ReceivedPayment {
  gateway: string
  /** The gateway's id of the payment. A payment with the same gateway and id is applied once. */
  reference: string
  /** With two decimals. */
  amount: string
  /** The gateway's own code if the portal does not know the currency. */
  currency: Currency | (string & {})
  /** When the gateway took it, epoch ms. */
  paidAt: number
  attemptId?: number
}

/** Reasons why a payment without effect cannot be applied later either. */
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
  /** The last second in which it can be paid (D31), or null if there is no limit. */
  due: Timestamp | null
  isDeleted: boolean
  isPaid: boolean
  isReplaced: boolean
  /** A change whose contract has ended. A payment has no effect any more, even if it was started in time. */
  hasEnded: boolean
  /** The reason why no payment may be started now, or null if one may. */
  refusal: ContractRefusal | null
  /** Whether a newer order or contract blocks it, although the payment was started in time. */
  isOvertaken(): Promise<boolean>
  /** Returns why it can no longer take effect although the payment matches, or null if it can. */
  findReviveRefusal(): Promise<ApplyRefusal | null>
  /** Restores an expired or deleted row, so that it can take effect. */
  revive(changeStamp: ChangeStamp): Promise<void>
  /** Puts the payment into effect and creates the invoice. Returns facts for the audit entry. */
  takeEffect(payment: ReceivedPayment, changeStamp: ChangeStamp): Promise<Record<string, string>>
  auditTarget: Pick<AuditEntry, 'code' | 'info'>
  status: { before: string; after: string }
}
