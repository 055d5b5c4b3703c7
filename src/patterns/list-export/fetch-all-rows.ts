/** Reads all rows of a filter for an export, from the device or from the server. */
import type { ListSpec, RowRef, VersionedRow } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { createRowComparer, createRowMatcher, normaliseTexts } from '#local/list-query/filter-and-order.ts'
import type { ListView, OverlaidRow } from '#local/lists/list-view.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { ConnectionState } from '#state/connection-slice.ts'
import type { ListSlice, PageQuery } from '#state/list-slice.ts'

/** The rows of a view: its list, its company or service, and its filters and order. */
export interface ListSource<R extends VersionedRow> {
  slice: Pick<ListSlice<R, never>, 'endpoint' | 'list' | 'toInput' | 'readPage'>
  scope: number | null
  query: PageQuery
}

const maxRows = 1_000_000
/** The largest page that the server returns. */
const pageSize = 50

export const readAllRows = <R extends VersionedRow>({ slice, scope, query }: ListSource<R>): Promise<ListView<R>> =>
  slice.readPage(scope, { ...query, page: 1, results: maxRows })

/** Returns whether the device lacks rows of the filter and the server can be reached. */
export const shouldFetchAll = (
  { complete: isComplete }: Pick<ListView<VersionedRow>, 'complete'>,
  { networkState, isSessionExpired }: ConnectionState,
): boolean => !isComplete && networkState === 'online' && !isSessionExpired

type AllRowsResult<R extends VersionedRow> =
  | { kind: 'fresh'; output: OverlaidRow<R>[] }
  | { kind: 'problem'; problem: Problem }

/**
 * Fetches the complete list in one response. With pages, a row could be missed or repeated if somebody changes the list in between. Rows are
 * filtered and sorted by the same rules as on the server (protocol 36). A list without change numbers has only pages (decision 107).
 */
export const fetchAllRows =
  <R extends VersionedRow>(source: ListSource<R>): AppThunk<AllRowsResult<R>> =>
  async (_dispatch, _getState, { api }) => {
    const { slice, scope, query } = source
    const fetchOutput = async (callQuery: object): Promise<{ output: unknown } | { problem: Problem }> => {
      const result = await api.call(slice.endpoint, slice.toInput(scope, callQuery) as never)
      if (result.kind === 'fresh') return result
      return { problem: ('problem' in result && result.problem) || createLocalProblem('OFFLINE') }
    }
    const result = await fetchOutput({ since: '' })
    if ('output' in result) {
      const { changed: changedRows } = result.output as { changed: R[] }
      return toResult(filterAndSort(slice.list, changedRows, query))
    }
    if (result.problem.code !== 'GONE') return { kind: 'problem', problem: result.problem }
    const rowsById = new Map<RowRef, R>()
    for (let page = 1; ; page += 1) {
      const pageResult = await fetchOutput({ ...query, page, results: pageSize })
      if (!('output' in pageResult)) return { kind: 'problem', problem: pageResult.problem }
      const { data, count, more: hasMore } = pageResult.output as { data: R[]; count: number; more?: true }
      for (const row of data) rowsById.set(row.id, row)
      if (data.length === 0 || (!hasMore && page * pageSize >= count)) return toResult([...rowsById.values()])
    }
  }

const toResult = <R extends VersionedRow>(rows: readonly R[]): AllRowsResult<R> => ({
  kind: 'fresh',
  output: rows.map((row) => ({ row, waiting: null })),
})

export function filterAndSort<R extends VersionedRow>(
  list: ListSpec,
  rows: readonly R[],
  { page: _page, results: _results, sortField, sortOrder, ...filters }: PageQuery,
): R[] {
  const matchesFilter = createRowMatcher(list, filters)
  return rows
    .map((row) => ({ row, folds: normaliseTexts(list, row) }))
    .filter(matchesFilter)
    .sort(createRowComparer(list, [sortField, sortOrder]))
    .map(({ row }) => row)
}
