/** What is paid, as paying meets it: the same of an order, of a backup subscription and of a month's traffic (D25, D66). */
import type { ContractRefusal } from '#domain/contracts.ts'
import type { Currency } from '#domain/money.ts'
import type { Timestamp } from '#domain/time.ts'
import type { PayableRef } from '#server/db/payments/payables.ts'
import type { ChangeStamp } from '#server/db/orders/orders.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'

/** What paying needs of a call: a webhook and a job have no caller. */
export type PaymentContext = Pick<UseCaseContext, 'db' | 'app' | 'now'>

export interface ReceivedPayment {
  gateway: string
  /** The gateway's own name for it: with the gateway it is applied once. */
  reference: string
  /** As it was taken, two decimals. */
  amount: string
  /** The gateway's own name where it is none of ours. */
  currency: Currency | (string & {})
  /** When the gateway took it, epoch ms. */
  paidAt: number
  /** By which it was paid. */
  attemptId?: number
}

/** Why money that came for it in vain cannot be applied to it after all. */
export type ApplyRefusal =
  | 'paidAlready'
  | 'anotherAmount'
  | 'anotherCurrency'
  | 'newerOrder'
  | 'codeTaken'
  | 'contractEnded'
  | 'serviceGone'

/** A row that is held until the commit, and what being paid means to it. */
export interface LockedPayable {
  payableRef: PayableRef
  companyId: number
  /** Of its service. */
  code: string
  currency: Currency
  pay_amount: string
  /** The last second in which it can be paid (D31); null: it can be as long as it stands. */
  due: Timestamp | null
  /** Nobody is shown it any more. */
  isDeleted: boolean
  isPaid: boolean
  /** Something else has taken its place, or it was deleted. */
  isReplaced: boolean
  /** A change whose contract has ended: money that comes now is worth nothing to it, whenever it was begun. */
  hasEnded: boolean
  /** Why nobody begins to pay it now; null: it waits for that. */
  refusal: ContractRefusal | null
  /** Whether it came too late after all, although it was paid in time: what stands by now is in its way. */
  isOvertaken(): Promise<boolean>
  /** Why it cannot take effect any more, although the money fits; null: it can. */
  findReviveRefusal(): Promise<ApplyRefusal | null>
  /** What is gone comes back, so that it can take effect. */
  revive(changeStamp: ChangeStamp): Promise<void>
  /** What being paid does to it, with its invoice. Answers what the trail says of that. */
  takeEffect(payment: ReceivedPayment, changeStamp: ChangeStamp): Promise<Record<string, string>>
  /** Of the trail. */
  auditTarget: Pick<AuditEntry, 'code' | 'info'>
  /** As the trail says how it stood before, and how it stands then. */
  status: { before: string; after: string }
}
