/**
 * A change that discarded money can be undone until the end of its day, in the business time zone, as long as nothing
 * was ordered after it.
 */
import { getContractState, type PayableContract } from '#domain/contracts.ts'
import { getDiscardedAmount } from '#domain/fees/discarded-amount.ts'
import { readAmount } from '#domain/money.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'

export const undoRefusals = ['notUndoable', 'anotherOrderFollowed', 'tooLate', 'ended'] as const
export type UndoRefusal = (typeof undoRefusals)[number]

export interface UndoableOrder extends PayableContract {
  type: 'create' | 'extend' | 'change'
  /** The day of the order, in the business time zone. */
  ordered_on: PlainDate
  contract_amount: string
  residual_amount: string
  /** The contract whose terms it restores; null: it is no undo itself. */
  restores_id: number | null
  /** An unpaid order of the same service. */
  pending: object | null
}

/** The last second in which a change of that day can be undone. */
export const getUndoDeadline = (orderedOn: PlainDate): Timestamp => `${orderedOn} 23:59:59`

/** Null: it can be undone. `now` in the business time zone. */
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
