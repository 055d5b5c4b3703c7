/** What is kept of the server's word, table by table: rows, what earlier answers proved, and the index of long lists. */
import type { VersionedRow } from '#contract/endpoint.ts'

export interface StoredRow {
  id: number
  /** Value of the list's scope column; null where there is none. */
  scope: number | null
  version: number
  /** Server time of the reading it came with, epoch ms. */
  asOf: number
  row: VersionedRow
  /** Folded text of the columns that are sorted or searched as text. */
  folds: Record<string, string>
}

/** Rows that went (or were replaced, as they were) and rows that came, of one table. */
export interface RowExchange {
  removedRows: readonly StoredRow[]
  addedRows: readonly StoredRow[]
  /** Of those that came: of a fill that is under way, so not to be shown before it is whole. */
  stagedRows?: readonly StoredRow[]
}

/** What one answered filter proved: how many the server counts, and which stretches of one order were read. */
export interface ListCoverage {
  id: string
  table: string
  scope: number | null
  filters: Record<string, string | number | boolean>
  total: number
  asOf: number
  /** Stretches belong together only while the company's change number stands still (protocol 34). */
  change: string
  sort: string
  /** Offsets read, first inclusive, last exclusive, in order and never touching. */
  spans: [number, number][]
}

/** One page as the server ordered it: used while the device does not hold the whole list. */
export interface PageReading {
  id: string
  table: string
  ids: number[]
  asOf: number
}

/** A whole table of one scope is here, as of a change number. */
export interface ListSyncPoint {
  id: string
  changeNumber: number
  asOf: number
  /** A row left meanwhile that may belong elsewhere: whole again with the next changes. */
  gaps: boolean
}

/** What of one list is here, counted as rows come and go. Absent: not counted yet, by a build that did not. */
export interface ListStats {
  /** As of `Fill`: the table and its scope. */
  id: string
  table: string
  scope: number | null
  rows: number
  /** Roughly, as text. */
  bytes: number
  /** Server time of the oldest and the newest reading that brought a row, epoch ms. */
  asOf: number
  latestAsOf: number
}

/** A list of many rows is read by its buckets, under this name; a fill in pieces prepares those of the next name. */
export interface ListIndex {
  /** As of `Fill`. */
  id: string
  table: string
  name: string
  /** Fills that are under way: shown when they are whole, by becoming `name`. */
  next: string | null
}

export type IndexedValue = string | number | boolean | null
/** Where a row stands in its list's own order, coarsely: the UTC day, the first letter's first bytes; `[]`: it has no value. */
export type BucketKey = string | number | Uint8Array<ArrayBuffer> | []

/** How many rows one bucket of a list has. */
export interface ListBucket {
  list: string
  at: BucketKey
  rows: number
  /** Another one with each write of the bucket, so that a copy of its columns can be proved; absent: an older build wrote it. */
  stamp?: string
}

/** One column of a bucket's rows, in the list's own order: each row's place in `values`. Column `#`: the ids themselves. */
export interface IndexColumn {
  list: string
  column: string
  at: BucketKey
  values: IndexedValue[]
  codes: Uint8Array | Uint16Array | Uint32Array | Float64Array
}

/** A row seen to be gone: an older reading must not raise it again (protocol 33). */
export interface Tombstone {
  table: string
  id: number
  asOf: number
  /** Of the row as it was last seen: a newer one is no ghost. */
  version: number
}
