import type { VersionedRow } from '#contract/endpoint.ts'

export interface StoredRow {
  id: number
  /** Value of the list's scope column, or null if it has none. */
  scope: number | null
  version: number
  /** Server time (epoch ms) of the response that contained the row. */
  asOf: number
  row: VersionedRow
  folds: Record<string, string>
}

/** Rows of one table that were removed or replaced (in their old form), and rows that were added. */
export interface RowExchange {
  removedRows: readonly StoredRow[]
  addedRows: readonly StoredRow[]
  /** The added rows that belong to a running fill. They are not shown before the fill is complete. */
  stagedRows?: readonly StoredRow[]
}

/** What one response to a filter proved: the server's count, and which ranges of one sort order were read. */
export interface ListCoverage {
  id: string
  table: string
  scope: number | null
  filters: Record<string, string | number | boolean>
  total: number
  asOf: number
  /** Spans can be combined only while the company's change number stays the same (protocol 34). */
  change: string
  sort: string
  /** Ranges of offsets that were read, `from` inclusive, `to` exclusive. They are sorted, and there is a gap between two of them. */
  spans: [number, number][]
}

/** One page in the server's order. Used while the device does not have the complete list. */
export interface PageReading {
  id: string
  table: string
  ids: number[]
  asOf: number
}

export interface ListSyncPoint {
  id: string
  changeNumber: number
  asOf: number
  /** True if a row was removed that may now belong to another position. The next changes from the server make the list complete again. */
  gaps: boolean
}

/** Size of a cached list, updated with every row change. Absent if an older build stored the list. */
export interface ListStats {
  id: string
  table: string
  scope: number | null
  rows: number
  bytes: number
  /** Server time (epoch ms) of the oldest and of the latest response that contained a row. */
  asOf: number
  latestAsOf: number
}

/** The index of a long list. Reads use the buckets under `name`; a fill in pieces prepares the buckets under `next`. */
export interface ListIndex {
  id: string
  table: string
  name: string
  /** Name of the index of a running fill. It becomes `name` when the fill is complete. */
  next: string | null
}

export type IndexedValue = string | number | boolean | null
/** Approximate position of a row in its list's own order: the UTC day, or the first bytes of the text. `[]` means that it has no value. */
export type BucketKey = string | number | Uint8Array<ArrayBuffer> | []

export interface ListBucket {
  list: string
  at: BucketKey
  rows: number
  /**
   * Changes with every write of the bucket, so that a cached copy of its columns can be validated. Absent if an older build wrote the
   * bucket.
   */
  stamp?: string
}

/** One column of a bucket's rows, in the list's own order: for each row the index into `values`. Column `#` has the ids themselves. */
export interface IndexColumn {
  list: string
  column: string
  at: BucketKey
  values: IndexedValue[]
  codes: Uint8Array | Uint16Array | Uint32Array | Float64Array
}

/** Mark of a deleted row, so that an older response does not restore the row (protocol 33). */
export interface Tombstone {
  table: string
  id: number
  asOf: number
  /** Version of the row when it was last stored. A newer version is stored again. */
  version: number
}
