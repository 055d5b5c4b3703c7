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
  /** The company, the service; null for a list that has no scope. */
  scope: number | null
  view: V
  /** Neither asked for nor read: it is not for this user. */
  skip?: boolean
  /** Shown before all others, whatever page and filter (`useNewRows`). */
  newRowRefs?: readonly RowRef[]
  /** All rows up to the view's page, and not that page alone: a phone's list grows (DataList). */
  isGrowing?: boolean
}

/**
 * The rows of a view, live from the device, and how the request for them stands. Asks the server when the page comes, when
 * the view is another and when the connection changes. `rows` is undefined until the device has answered.
 */
export function useList<R extends VersionedRow, V>(
  list: ListSlice<R, V>,
  { scope, view, skip = false, newRowRefs, isGrowing = false }: UseListOptions<V>,
) {
  const dispatch = useDispatch()
  // Offline nothing is waited for: what the device has is shown at once.
  const isOffline = useConnection().networkState !== 'online'
  const isFetching = useSelector(list.selectIsFetching) && !isOffline
  const isCached = useSelector(list.selectIsCached) || isOffline
  const leftOutCount = useSelector(list.selectLeftOutCount)
  const problem = useSelector(list.selectProblem)
  // A view is the same as long as it asks for the same: an open drawer lists nothing else.
  const key = JSON.stringify(list.toQuery(view))
  const refetch = useCallback(
    () => void dispatch(list.fetchList({ scope, query: JSON.parse(key) as PageQuery })),
    [dispatch, list, scope, key],
  )
  useFetch(refetch, skip)
  const cachedView = useLiveQuery(
    async () =>
      skip ? undefined : await list.readPage(scope, toGrownQuery(JSON.parse(key) as PageQuery, isGrowing), newRowRefs),
    [list, scope, key, skip, newRowRefs, isGrowing],
  )
  const freshness = { ...(cachedView ?? emptyFreshness), isCached, leftOutCount }
  const count = cachedView ? countRows(cachedView, isCached, JSON.parse(key) as PageQuery) : 0
  return { rows: cachedView?.rows, count, freshness, isFetching, problem, refetch }
}

/** What only the server has is no row of this list while it does not answer: its pages would be empty. */
function countRows(
  { count, offlineCount, complete, rows }: ListView<VersionedRow>,
  isCached: boolean,
  { page, results }: PageQuery,
) {
  if (complete || !isCached) return count
  // A page that was read alone is here, though not all that stand before it are.
  return rows.length === 0 ? offlineCount : Math.min(count, Math.max(offlineCount, (page - 1) * results + rows.length))
}

const toGrownQuery = (query: PageQuery, isGrowing: boolean): PageQuery =>
  isGrowing ? { ...query, page: 1, results: query.page * query.results } : query
