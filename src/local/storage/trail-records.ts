/** What the device stores of audit trails that its user asked to keep, and of the logs that it watches. */
import type { LogFault } from '#domain/audit-log/fault.ts'
import type { PlainDate } from '#domain/time.ts'

/** One company's range. No limit of cached lists takes it away. */
export interface StoredTrail {
  companyId: number
  /** The days that were asked for, in the business time zone; both are part of the range. */
  dateFrom: PlainDate
  dateTo: PlainDate
  /** Opens the stream (`keepTrail`). */
  keep: string
  /** The business time zone; empty until the first entry comes. */
  zone: string
  /** Places in the log: from, and up to without. */
  from: number
  to: number
  /** The next place that is missing; `to` when all is here. */
  next: number
  /** Entries come on: its last day was not over when it was begun. */
  follows: boolean
  /** About how many bytes the whole range has, as the server said. */
  bytes: number
  /** Entries that this reader may not see, of which only hashes are here. */
  hidden: number
  /** Server time of the newest piece, epoch ms; null: none came yet. */
  asOf: number | null
  /** Signed checkpoint by which the whole range was proven; null: not yet. */
  note: string | null
  key: string | null
}

/**
 * Leaves of 32 entries: what is read of an entry, and what is proven of it. Some 30 kB, because a browser lays records of more than
 * 64 kB into files of their own, which takes many times as long.
 */
export interface StoredLeaves {
  companyId: number
  level: -1
  /** Of the block: its first entry has 32 times that place. */
  index: number
  /** By place in the block; empty: not here, or not for this reader. */
  leaves: string[]
}

/** What free text looks through in those entries, folded: one text of them all, because a text is read and searched as a block. */
export interface StoredTexts {
  companyId: number
  level: -2
  /** Of the tile of level 0. */
  index: number
  /** 256 of them, each ended by U+0000. */
  texts: string
}

/** A tile of the log (domain/audit-log/tiles.ts) that holds hashes of kept entries or of what lies around them. */
export interface StoredTile {
  companyId: number
  level: number
  index: number
  /** 256 hashes of 32 bytes; those that are not known are zeros. */
  hashes: Uint8Array
  /** Hashes from this place in the tile on, up to that one, are known. */
  from: number
  to: number
}

export type StoredTrailRecord = StoredTile | StoredLeaves | StoredTexts

/** What is wrong with a log, and where: entries from that place on, up to the other without it. */
export interface LogAlarm {
  fault: LogFault
  from: number
  to: number
  /** The checkpoint that was refused, as evidence; null: there was none. */
  note: string | null
  /** Server time, epoch ms. */
  time: number
}

/** The newest checkpoint of a log that this device has checked to go on from the one before. */
export interface LogCheckpoint {
  companyId: number
  note: string
  key: string
  size: number
  /** Server time when it was read, epoch ms. */
  asOf: number
  /** While it stands, no other checkpoint takes this one's place. */
  alarm: LogAlarm | null
}
