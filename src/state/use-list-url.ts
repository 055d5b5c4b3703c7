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
  change: (view: V, change: Partial<V>) => V
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
  const { view, change } = useAheadView(listUrl, query, setQuery)
  const savedNow = listUrl.toSavedQuery(listUrl.read(query))
  const hasArrived = useRef(false)
  useEffect(() => {
    const saved = selectSavedQuery(store.getState())
    const arrivalQuery = hasArrived.current ? null : findArrivalQuery(query, saved)
    if (arrivalQuery) setQuery(arrivalQuery, { replace: true })
    else if (savedNow !== saved) store.dispatch(viewChanged(savedNow))
    hasArrived.current = true
  }, [savedNow, query, setQuery, store, selectSavedQuery, viewChanged])
  return { view, change, setQuery }
}

/** Where a plain address leads: to the last filter, and to as many rows as were last chosen. Null: where it says. */
function findArrivalQuery(query: URLSearchParams, saved: string): URLSearchParams | null {
  const size = readPageSize()
  const isPlain = query.size === 0 && saved !== ''
  if (!isPlain && (size === null || query.has('results'))) return null
  const arrivalQuery = new URLSearchParams(isPlain ? saved : query)
  if (size !== null && !arrivalQuery.has('results')) arrivalQuery.set('results', size)
  return arrivalQuery
}

/**
 * The router changes the address in its own time; a box that was ticked must not be seen unticked until then. So the
 * view goes ahead, for as long as the address is still the one it was chosen at.
 */
function useAheadView<V extends ListUrlState>(listUrl: ListUrl<V>, query: URLSearchParams, setQuery: SetQuery) {
  const [aheadView, setAheadView] = useState<{ view: V; at: string } | null>(null)
  const address = query.toString()
  // Once the address has moved, it alone counts: Back may lead to the very one it was chosen at.
  if (aheadView !== null && aheadView.at !== address) setAheadView(null)
  // Back may come before the router has got there: the address never was another one then.
  useEffect(() => {
    const dropAheadView = () => setAheadView(null)
    addEventListener('popstate', dropAheadView)
    return () => removeEventListener('popstate', dropAheadView)
  }, [])
  const view = aheadView?.at === address ? aheadView.view : listUrl.read(query)
  const change = (change: Partial<V>, isCorrection = false) => {
    const next = listUrl.change(view, change)
    setAheadView({ view: next, at: address })
    if (next.results !== view.results) storePageSize(next.results)
    // Typing is one step of the history, not one for each letter.
    const isTyping = Object.keys(change).join() === 'searchText' && view.searchText !== ''
    setQuery(listUrl.write(next), { replace: isTyping || isCorrection })
  }
  return { view, change }
}
