/** What a list reads from the device: rows as the server last said, waiting writes laid over them, and how much is here. */
import type { ListSpec, RowRef, Intent, VersionedRow } from '#contract/endpoint.ts'
import type { WaitingState } from '#local/storage/records.ts'

export interface ListQuery {
  /** Value of the scope's column, null where a list has no scope. */
  scope: number | null
  filters: Record<string, string | number | boolean | undefined>
  sort: readonly [field: string, order: 'asc' | 'desc']
  page: number
  results: number
  /** Rows that stand before the others whatever page and filter: made here a moment ago, newest first. */
  newRowRefs?: readonly RowRef[] | undefined
}

/** A row and, where a write of this device is laid over it, what becomes of that write. */
export interface OverlaidRow<R extends VersionedRow> {
  row: R
  waiting: { intent: Intent; action: 'create' | 'change' | 'delete'; state: WaitingState } | null
  /** It is one of the query's `newRowRefs`. */
  isNew?: true
}

export interface ListView<R extends VersionedRow> {
  rows: OverlaidRow<R>[]
  /** Rows that this filter finds on the device, waiting writes included: what the pages are counted from. */
  count: number
  /** The same without those that only the server has: as many can be shown while it cannot be reached. */
  offlineCount: number
  /** Rows of the filter on the device, and what the server last counted; null when it never answered this filter. */
  cachedCount: number
  total: number | null
  /** Server time of the oldest reading that this answer rests on; null: never read. */
  asOf: number | null
  /** Whether the device is known to hold every row the filter means. */
  complete: boolean
  /** What a filter was looked for in that the server never answered and the device does not hold whole; null: it did, or does. */
  searchScope: SearchScope | null
  /** Waiting writes of the list, whatever the filter. */
  pendingCount: number
}

/** Rows on the device, and how many the server counted of them; null: it never did. */
export type SearchScope = Pick<ListView<VersionedRow>, 'cachedCount' | 'total'>

export type ReadList = <R extends VersionedRow>(list: ListSpec, query: ListQuery) => Promise<ListView<R>>
export type ReadRow = <R extends VersionedRow>(table: string, id: RowRef) => Promise<OverlaidRow<R> | null>

/** What a form is based on when it opens on this row: goes into `Asking.base.rowVersion` (protocol 9). */
export const getBaseVersion = ({ row, waiting }: OverlaidRow<VersionedRow>): number | `~${Intent}` =>
  waiting ? `~${waiting.intent}` : row.row_version
