import type { LogFault } from '#domain/audit-log/fault.ts'
import type { PlainDate } from '#domain/time.ts'

/** The stored range of one company's audit trail. It is not evicted by the limits of cached lists. */
export interface StoredTrail {
  companyId: number
  /** Requested days in the business time zone, both inclusive. */
  dateFrom: PlainDate
  dateTo: PlainDate
  keep: string
  /** Business time zone. Empty until the first entry arrives. */
  zone: string
  /** Log indexes of the range: `from` inclusive, `to` exclusive. */
  from: number
  to: number
  next: number
  /** True if new entries are added, because the last day was not over when the range was created. */
  follows: boolean
  /** Approximate size of the complete range in bytes, from the server. */
  bytes: number
  /** Number of entries that this user may not see. Only their hashes are stored. */
  hidden: number
  /** Server time of the latest piece (epoch ms), or null before the first piece. */
  asOf: number | null
  /** Signed checkpoint that proves the complete range, or null if it is not proven yet. */
  note: string | null
  key: string | null
}

/** A block of 32 leaves, about 30 kB. Browsers write records over 64 kB to separate files, which is many times slower. */
export interface StoredLeaves {
  companyId: number
  level: -1
  /** Index of the block. Its first entry has log index 32 × `index`. */
  index: number
  /** Leaves by position in the block. The string is empty if the leaf is not stored or this user may not see it. */
  leaves: string[]
}

/** Normalised texts of entries for free text search. They are stored as one string, which is read and searched as a block. */
export interface StoredTexts {
  companyId: number
  level: -2
  index: number
  /** 256 texts, each followed by U+0000. */
  texts: string
}

/** A tile of the log (domain/audit-log/tiles.ts) with hashes of stored entries or of their neighbours. */
export interface StoredTile {
  companyId: number
  level: number
  index: number
  /** 256 hashes of 32 bytes. Hashes that are not stored are zeros. */
  hashes: Uint8Array
  /** Range of the stored hashes in the tile, `to` exclusive. */
  from: number
  to: number
}

export type StoredTrailRecord = StoredTile | StoredLeaves | StoredTexts

/** The fault of a log and the affected entries: `from` inclusive, `to` exclusive. */
export interface LogAlarm {
  fault: LogFault
  from: number
  to: number
  /** The refused checkpoint as evidence, or null if the fault has no checkpoint. */
  note: string | null
  /** Server time (epoch ms). */
  time: number
}

/** The latest checkpoint of a log for which this device has verified that it extends the previous one. */
export interface LogCheckpoint {
  companyId: number
  note: string
  key: string
  size: number
  /** Server time of the response with the checkpoint (epoch ms). */
  asOf: number
  alarm: LogAlarm | null
}
