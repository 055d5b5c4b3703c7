import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useStore } from '#state/use-store.ts'
import type { ListSlice } from '#state/list-slice.ts'
import type { ListUrlState } from '#state/list-url.ts'
import { storePageSize, readPageSize } from '#state/page-size.ts'

export interface ListUrl<V extends ListUrlState> {
  read: (query: URLSearchParams) => V
  write: (view: V) => URLSearchParams
  change: (view: V, changeView: Partial<V>) => V
  /** Returns the query that is stored while the user is on another page (C-02). */
  toSavedQuery: (view: V) => string
}

export type SetQuery = ReturnType<typeof useSearchParams>[1]

interface ListUrlOptions {
  /** True for the list of one company, as a tab of its page: the filters of other visits neither apply to it nor are replaced by its own. */
  isFramed?: boolean | undefined
}

/** The view in the address. Without a query it has the last filters, which the list's slice stores (C-02). */
export function useListUrl<V extends ListUrlState>(
  listUrl: ListUrl<V>,
  { selectSavedQuery, viewChanged }: Pick<ListSlice<never, never>, 'selectSavedQuery' | 'viewChanged'>,
  { isFramed = false }: ListUrlOptions = {},
) {
  const store = useStore()
  const [query, setQuery] = useSearchParams()
  const { view, changeView } = usePendingView(listUrl, query, setQuery)
  const currentQuery = listUrl.toSavedQuery(listUrl.read(query))
  const hasArrived = useRef(false)
  useEffect(() => {
    const savedQuery = isFramed ? '' : selectSavedQuery(store.getState())
    const arrivalQuery = hasArrived.current ? null : findArrivalQuery(query, savedQuery)
    if (arrivalQuery) setQuery(arrivalQuery, { replace: true })
    else if (!isFramed && currentQuery !== savedQuery) store.dispatch(viewChanged(currentQuery))
    hasArrived.current = true
  }, [currentQuery, query, setQuery, store, isFramed, selectSavedQuery, viewChanged])
  return { view, changeView, setQuery }
}

/** Adds the last filters and page size to an address without a query. Null if the address stays as it is. */
function findArrivalQuery(query: URLSearchParams, savedQuery: string): URLSearchParams | null {
  const pageSize = readPageSize()
  const isPlain = query.size === 0 && savedQuery !== ''
  if (!isPlain && (pageSize === null || query.has('results'))) return null
  const arrivalQuery = new URLSearchParams(isPlain ? savedQuery : query)
  if (pageSize !== null && !arrivalQuery.has('results')) arrivalQuery.set('results', pageSize)
  return arrivalQuery
}

/**
 * Returns the view, and a function that changes it. The router changes the address with a delay, and a ticked box must not look unticked
 * until then. So a new view is used immediately, as long as the address is still the one at which it was chosen.
 */
function usePendingView<V extends ListUrlState>(listUrl: ListUrl<V>, query: URLSearchParams, setQuery: SetQuery) {
  const [pendingView, setPendingView] = useState<{ view: V; address: string } | null>(null)
  const address = query.toString()
  // After the address has changed, the pending view is deleted. Otherwise it would be used again if the Back button leads to the old
  // address.
  if (pendingView !== null && pendingView.address !== address) setPendingView(null)
  // If the user goes back before the router has changed the address, the address never differs. So the pending view is deleted here.
  useEffect(() => {
    const dropPendingView = () => setPendingView(null)
    addEventListener('popstate', dropPendingView)
    return () => removeEventListener('popstate', dropPendingView)
  }, [])
  const view = pendingView?.address === address ? pendingView.view : listUrl.read(query)
  const changeView = (changes: Partial<V>, isCorrection = false) => {
    const next = listUrl.change(view, changes)
    setPendingView({ view: next, address })
    if (next.results !== view.results) storePageSize(next.results)
    // Typing adds one step to the history, not one per letter.
    const isTyping = Object.keys(changes).join() === 'searchText' && view.searchText !== ''
    setQuery(listUrl.write(next), { replace: isTyping || isCorrection })
  }
  return { view, changeView }
}
