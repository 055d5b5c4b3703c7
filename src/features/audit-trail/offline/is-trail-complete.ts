import type { StoredTrail, LogAlarm } from '#local/storage/trail-records.ts'

/**
 * All of the range is here and was proven by a signed checkpoint, with all that it takes to prove each of its entries without a
 * network; what has come since is proven by the next update. An empty range has nothing to prove, and where there is an alarm it
 * could not be.
 */
export const isTrailComplete = ({ from, to, next, note }: StoredTrail, alarm: LogAlarm | null): boolean =>
  next >= to && (note !== null || alarm !== null || from === to)
