import type { ListSpec, RowRef, Intent, VersionedRow } from '#contract/endpoint.ts'
import type { WaitingState } from '#local/storage/records.ts'

export interface ListQuery {
  /** Value of the scope column, or null if the list has no scope. */
  scope: number | null
  filters: Record<string, string | number | boolean | undefined>
  sort: readonly [field: string, order: 'asc' | 'desc']
  page: number
  results: number
  /** Rows that were just created on this device. They come first on every page and with every filter, latest first. */
  newRowRefs?: readonly RowRef[] | undefined
}

export interface OverlaidRow<R extends VersionedRow> {
  row: R
  waiting: { intent: Intent; action: 'create' | 'change' | 'delete'; state: WaitingState } | null
  isNew?: true
}

export interface ListView<R extends VersionedRow> {
  rows: OverlaidRow<R>[]
  /**
   * Number of rows for the pagination: the matching rows on the device including waiting writes. For an incomplete list, the server's count
   * if it is larger.
   */
  count: number
  /** Number of matching rows on the device including waiting writes, which are the rows that can be shown offline. */
  offlineCount: number
  /**
   * `cachedCount`: matching rows on the device. `total`: the server's last count, or null if the server never counted the rows of this
   * filter.
   */
  cachedCount: number
  total: number | null
  /**
   * Server time of the response that the view is based on, or of the oldest row if there is no such response. Null if no response exists.
   */
  asOf: number | null
  complete: boolean
  /** The rows that were searched if the server never counted the rows of this filter and the list is incomplete; otherwise null. */
  searchScope: SearchScope | null
  pendingCount: number
}

/** Number of rows on the device, and the server's count of them, or null if it never counted them. */
export type SearchScope = Pick<ListView<VersionedRow>, 'cachedCount' | 'total'>

export type ReadList = <R extends VersionedRow>(list: ListSpec, query: ListQuery) => Promise<ListView<R>>
export type ReadRow = <R extends VersionedRow>(table: string, id: RowRef) => Promise<OverlaidRow<R> | null>

/** Returns the version that a form is based on when it opens this row. Sent as `rowVersion` of the write's base (protocol 9). */
export const getBaseVersion = ({ row, waiting }: OverlaidRow<VersionedRow>): number | `~${Intent}` =>
  waiting ? `~${waiting.intent}` : row.row_version
