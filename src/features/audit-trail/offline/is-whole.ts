import type { KeptTrail, LogAlarm } from '#local/audit-trail/records.ts'

/**
 * All of the range is here and was proven by a signed checkpoint: only then can each of its entries be proven without a network. An
 * empty range has nothing to prove, and where there is an alarm it could not be.
 */
export const isWhole = ({ from, to, next, note }: KeptTrail, alarm: LogAlarm | null): boolean =>
  next >= to && (note !== null || alarm !== null || from === to)
