import { useCallback } from 'react'
import type { Id, Row } from '#contract/endpoint.ts'
import { useConnection, useDispatch, useSelector } from '#state/hooks.ts'
import type { ListView } from '#local/lists/list-view.ts'
import type { ListSlice, PageQuery } from '#state/list-slice.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'

const unread = { count: 0, countHere: 0, here: 0, total: null, asOf: null, complete: false, searched: null, pending: 0 }

interface Shown<V> {
  /** The company, the service; null for a list that has no scope. */
  scope: number | null
  view: V
  /** Neither asked for nor read: it is not for this user. */
  skip?: boolean
  /** Shown before all others, whatever page and filter (`useNewRows`). */
  newRows?: readonly Id[]
  /** All rows up to the view's page, and not that page alone: a phone's list grows (DataList). */
  grows?: boolean
}

/**
 * The rows of a view, live from the device, and how the request for them stands. Asks the server when the page comes, when
 * the view is another and when the connection changes. `rows` is undefined until the device has answered.
 */
export function useList<R extends Row, V>(
  list: ListSlice<R, V>,
  { scope, view, skip = false, newRows, grows = false }: Shown<V>,
) {
  const dispatch = useDispatch()
  // Offline nothing is waited for: what the device has is shown at once.
  const isOffline = useConnection().line !== 'online'
  const isFetching = useSelector(list.selectIsFetching) && !isOffline
  const isKept = useSelector(list.selectIsKept) || isOffline
  const leftOut = useSelector(list.selectLeftOut)
  const problem = useSelector(list.selectProblem)
  // A view is the same as long as it asks for the same: an open drawer lists nothing else.
  const key = JSON.stringify(list.queryOf(view))
  const refetch = useCallback(
    () => void dispatch(list.fetchList({ scope, query: JSON.parse(key) as PageQuery })),
    [dispatch, list, scope, key],
  )
  useFetch(refetch, skip)
  const found = useLiveQuery(
    async () => (skip ? undefined : await list.readPage(scope, shownOf(JSON.parse(key) as PageQuery, grows), newRows)),
    [list, scope, key, skip, newRows, grows],
  )
  const freshness = { ...(found ?? unread), isKept, leftOut }
  const count = found ? countOf(found, isKept, JSON.parse(key) as PageQuery) : 0
  return { rows: found?.rows, count, freshness, isFetching, problem, refetch }
}

/** What only the server has is no row of this list while it does not answer: its pages would be empty. */
function countOf({ count, countHere, complete, rows }: ListView<Row>, isKept: boolean, { page, results }: PageQuery) {
  if (complete || !isKept) return count
  // A page that was read alone is here, though not all that stand before it are.
  return rows.length === 0 ? countHere : Math.min(count, Math.max(countHere, (page - 1) * results + rows.length))
}

const shownOf = (query: PageQuery, grows: boolean): PageQuery =>
  grows ? { ...query, page: 1, results: query.page * query.results } : query
