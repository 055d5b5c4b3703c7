import type { StoredTrail, LogAlarm } from '#local/storage/trail-records.ts'

/**
 * Returns whether all entries of the range are stored and a signed checkpoint proves them. An empty range needs no proof. If the log has
 * raised an alarm, it cannot be proven, so only the entries are required.
 */
export const isTrailComplete = ({ from, to, next, note }: StoredTrail, alarm: LogAlarm | null): boolean =>
  next >= to && (note !== null || alarm !== null || from === to)
