import { useCallback } from 'react'
import type { RowRef, VersionedRow } from '#contract/endpoint.ts'
import { useConnection, useDispatch, useSelector } from '#state/use-store.ts'
import type { ListView } from '#local/lists/list-view.ts'
import type { ListSlice, PageQuery } from '#state/list-slice.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'

const emptyFreshness = {
  count: 0,
  offlineCount: 0,
  cachedCount: 0,
  total: null,
  asOf: null,
  complete: false,
  searchScope: null,
  pendingCount: 0,
}

interface UseListOptions<V> {
  /** Id of the company or the service, or null for a list without scope. */
  scope: number | null
  view: V
  /** True to neither request nor read the list, because this user may not see it. */
  skip?: boolean
  newRowRefs?: readonly RowRef[]
  /** True to show all rows up to the view's page and not only that page, because on a phone the list grows (DataList). */
  isGrowing?: boolean
}

/**
 * Returns the rows of a view, live from the device, and the state of their request. Requests them when the component mounts, when the view
 * changes and when the connection changes. `rows` is undefined before the device's first result.
 */
export function useList<R extends VersionedRow, V>(
  list: ListSlice<R, V>,
  { scope, view, skip = false, newRowRefs, isGrowing = false }: UseListOptions<V>,
) {
  const dispatch = useDispatch()
  // Offline, the rows of the device are shown without waiting for the request.
  const isOffline = useConnection().networkState !== 'online'
  const isFetching = useSelector(list.selectIsFetching) && !isOffline
  const isCached = useSelector(list.selectIsCached) || isOffline
  const leftOutCount = useSelector(list.selectLeftOutCount)
  const problem = useSelector(list.selectProblem)
  // Views with the same query are the same view: an open drawer does not cause a new request.
  const key = JSON.stringify(list.toQuery(view))
  const refetch = useCallback(
    () => void dispatch(list.fetchList({ scope, query: JSON.parse(key) as PageQuery })),
    [dispatch, list, scope, key],
  )
  useFetch(refetch, skip)
  const viewKey = `${scope} ${key}`
  const cached = useLiveQuery(
    async () =>
      skip
        ? undefined
        : {
            viewKey,
            view: await list.readPage(scope, toGrownQuery(JSON.parse(key) as PageQuery, isGrowing), newRowRefs),
          },
    [list, scope, key, skip, newRowRefs, isGrowing],
  )
  const cachedView = cached?.view
  const freshness = { ...(cachedView ?? emptyFreshness), isCached, leftOutCount }
  const count = cachedView ? countRows(cachedView, isCached, JSON.parse(key) as PageQuery) : 0
  return {
    rows: cachedView?.rows,
    /** Whether the rows are those of this view. The rows of the previous view stay until the device has been read. */
    isCurrentView: cached?.viewKey === viewKey,
    count,
    freshness,
    isFetching,
    problem,
    refetch,
  }
}

/**
 * Returns the number of rows that the list can show. While the server does not respond, rows that only the server has are not included,
 * because their pages would be empty.
 */
function countRows(
  { count, offlineCount, complete, rows }: ListView<VersionedRow>,
  isCached: boolean,
  { page, results }: PageQuery,
) {
  if (complete || !isCached) return count
  // The rows of this page are on the device, even if not all rows before them are.
  return rows.length === 0 ? offlineCount : Math.min(count, Math.max(offlineCount, (page - 1) * results + rows.length))
}

const toGrownQuery = (query: PageQuery, isGrowing: boolean): PageQuery =>
  isGrowing ? { ...query, page: 1, results: query.page * query.results } : query
