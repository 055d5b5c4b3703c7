/** A change that discarded money can be undone until the end of its day, unless another order follows it. */
import { getContractState, type PayableContract } from '#domain/contracts.ts'
import { getDiscardedAmount } from '#domain/fees/discarded-amount.ts'
import { readAmount } from '#domain/money.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'

export const undoRefusals = ['notUndoable', 'anotherOrderFollowed', 'tooLate', 'ended'] as const
/** Reasons of the server, also `creditTooLow` if the credit from the change was used (decision 124). */
export const undoProblemReasons = [...undoRefusals, 'creditTooLow'] as const
export type UndoRefusal = (typeof undoRefusals)[number]

export interface UndoableOrder extends PayableContract {
  type: 'create' | 'extend' | 'change'
  /** Order date in the business time zone. */
  ordered_on: PlainDate
  contract_amount: string
  residual_amount: string
  /** The contract whose terms this order restores. Null if the order is not an undo. */
  restores_id: number | null
  pending: object | null
}

/** The last second in which a change ordered on that day can be undone. */
export const getUndoDeadline = (orderedOn: PlainDate): Timestamp => `${orderedOn} 23:59:59`

/** Returns null if the change can be undone. `now` is in the business time zone. */
export function getUndoRefusal(order: UndoableOrder, now: Timestamp): UndoRefusal | null {
  const [contract_amount, residual_amount] = [readAmount(order.contract_amount), readAmount(order.residual_amount)]
  const isNothingDiscarded = getDiscardedAmount({ contract_amount, residual_amount }) === 0n
  if (order.type !== 'change' || order.restores_id !== null || isNothingDiscarded) return 'notUndoable'
  if (order.stored === 'overwritten' || order.pending) return 'anotherOrderFollowed'
  if (now > getUndoDeadline(order.ordered_on)) return 'tooLate'
  const state = getContractState(order, now)
  if (state === 'effective') return null
  return state === 'expired' ? 'ended' : 'notUndoable'
}
