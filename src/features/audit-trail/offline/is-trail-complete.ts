import type { StoredTrail, LogAlarm } from '#local/storage/trail-records.ts'

/**
 * Returns whether the complete range is stored and was proven by a signed checkpoint, with everything that is needed to prove each entry
 * offline. Entries added since then are proven by the next update. An empty range needs no proof, and with an alarm there cannot be one.
 */
export const isTrailComplete = ({ from, to, next, note }: StoredTrail, alarm: LogAlarm | null): boolean =>
  next >= to && (note !== null || alarm !== null || from === to)
