import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useStore } from '#state/use-store.ts'
import type { ListSlice } from '#state/list-slice.ts'
import type { ListUrlState } from '#state/list-url.ts'
import { storePageSize, readPageSize } from '#state/page-size.ts'

/** How a page's view stands in its address. */
export interface ListUrl<V extends ListUrlState> {
  read: (query: URLSearchParams) => V
  write: (view: V) => URLSearchParams
  change: (view: V, changeView: Partial<V>) => V
  /** What is kept of it while one is elsewhere (C-02). */
  toSavedQuery: (view: V) => string
}

export type SetQuery = ReturnType<typeof useSearchParams>[1]

/**
 * The view that the address says, and how it is changed. Coming back to a plain address, the last filter is there (C-02):
 * the list's slice keeps it.
 */
export function useListUrl<V extends ListUrlState>(
  listUrl: ListUrl<V>,
  { selectSavedQuery, viewChanged }: Pick<ListSlice<never, never>, 'selectSavedQuery' | 'viewChanged'>,
) {
  const store = useStore()
  const [query, setQuery] = useSearchParams()
  const { view, changeView } = usePendingView(listUrl, query, setQuery)
  const currentQuery = listUrl.toSavedQuery(listUrl.read(query))
  const hasArrived = useRef(false)
  useEffect(() => {
    const savedQuery = selectSavedQuery(store.getState())
    const arrivalQuery = hasArrived.current ? null : findArrivalQuery(query, savedQuery)
    if (arrivalQuery) setQuery(arrivalQuery, { replace: true })
    else if (currentQuery !== savedQuery) store.dispatch(viewChanged(currentQuery))
    hasArrived.current = true
  }, [currentQuery, query, setQuery, store, selectSavedQuery, viewChanged])
  return { view, changeView, setQuery }
}

/** Where a plain address leads: to the last filter, and to as many rows as were last chosen. Null: where it says. */
function findArrivalQuery(query: URLSearchParams, savedQuery: string): URLSearchParams | null {
  const pageSize = readPageSize()
  const isPlain = query.size === 0 && savedQuery !== ''
  if (!isPlain && (pageSize === null || query.has('results'))) return null
  const arrivalQuery = new URLSearchParams(isPlain ? savedQuery : query)
  if (pageSize !== null && !arrivalQuery.has('results')) arrivalQuery.set('results', pageSize)
  return arrivalQuery
}

/**
 * The router changes the address in its own time; a box that was ticked must not be seen unticked until then. So the
 * view goes ahead, for as long as the address is still the one it was chosen at.
 */
function usePendingView<V extends ListUrlState>(listUrl: ListUrl<V>, query: URLSearchParams, setQuery: SetQuery) {
  const [pendingView, setPendingView] = useState<{ view: V; address: string } | null>(null)
  const address = query.toString()
  // Once the address has moved, it alone counts: Back may lead to the very one it was chosen at.
  if (pendingView !== null && pendingView.address !== address) setPendingView(null)
  // Back may come before the router has got there: the address never was another one then.
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
    // Typing is one step of the history, not one for each letter.
    const isTyping = Object.keys(changes).join() === 'searchText' && view.searchText !== ''
    setQuery(listUrl.write(next), { replace: isTyping || isCorrection })
  }
  return { view, changeView }
}
