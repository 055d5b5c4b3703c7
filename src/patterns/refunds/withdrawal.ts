/** When a refund can be withdrawn, and whether it was (decision 123). */
import type { RefundRow } from '#contract/staff/refunds.ts'
import { type Caller, isAllowed } from '#domain/access.ts'

/** Returns whether the gateway does not accept the refund, and nobody has withdrawn it yet. One that it has accepted ends there. */
export const canWithdraw = (caller: Caller, { cause, state, problem, seen }: RefundRow): boolean =>
  isAllowed('orderingProviderAdmin', caller) &&
  cause === 'staff' &&
  state === 'requested' &&
  problem !== null &&
  seen === null

/** Returns whether the staff do not want the refund any more. A refund is otherwise marked as seen only after it has ended. */
export const isWithdrawn = ({ cause, seen, ended }: RefundRow): boolean =>
  cause === 'staff' && seen !== null && (ended === null || seen < ended)
