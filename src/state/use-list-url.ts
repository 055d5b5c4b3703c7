import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useStore } from '#state/hooks.ts'
import type { ListSlice } from '#state/list-slice.ts'
import type { Listing } from '#state/list-url.ts'
import { choosePageSize, chosenPageSize } from '#state/page-size.ts'

/** How a page's view stands in its address. */
export interface ListUrl<V extends Listing> {
  read: (query: URLSearchParams) => V
  write: (view: V) => URLSearchParams
  change: (view: V, change: Partial<V>) => V
  /** What is kept of it while one is elsewhere (C-02). */
  remembered: (view: V) => string
}

export type SetQuery = ReturnType<typeof useSearchParams>[1]

/**
 * The view that the address says, and how it is changed. Coming back to a plain address, the last filter is there (C-02):
 * the list's slice keeps it.
 */
export function useListing<V extends Listing>(
  ways: ListUrl<V>,
  { selectSavedQuery, viewChanged }: Pick<ListSlice<never, never>, 'selectSavedQuery' | 'viewChanged'>,
) {
  const store = useStore()
  const [query, setQuery] = useSearchParams()
  const { view, change } = useAhead(ways, query, setQuery)
  const now = ways.remembered(ways.read(query))
  const arrived = useRef(false)
  useEffect(() => {
    const saved = selectSavedQuery(store.getState())
    const arriving = arrived.current ? null : arrivedAt(query, saved)
    if (arriving) setQuery(arriving, { replace: true })
    else if (now !== saved) store.dispatch(viewChanged(now))
    arrived.current = true
  }, [now, query, setQuery, store, selectSavedQuery, viewChanged])
  return { view, change, setQuery }
}

/** Where a plain address leads: to the last filter, and to as many rows as were last chosen. Null: where it says. */
function arrivedAt(query: URLSearchParams, saved: string): URLSearchParams | null {
  const size = chosenPageSize()
  const isPlain = query.size === 0 && saved !== ''
  if (!isPlain && (size === null || query.has('results'))) return null
  const at = new URLSearchParams(isPlain ? saved : query)
  if (size !== null && !at.has('results')) at.set('results', size)
  return at
}

/**
 * The router changes the address in its own time; a box that was ticked must not be seen unticked until then. So the
 * view goes ahead, for as long as the address is still the one it was chosen at.
 */
function useAhead<V extends Listing>(ways: ListUrl<V>, query: URLSearchParams, setQuery: SetQuery) {
  const [ahead, setAhead] = useState<{ view: V; at: string } | null>(null)
  const at = query.toString()
  // Once the address has moved, it alone counts: Back may lead to the very one it was chosen at.
  if (ahead !== null && ahead.at !== at) setAhead(null)
  // Back may come before the router has got there: the address never was another one then.
  useEffect(() => {
    const drop = () => setAhead(null)
    addEventListener('popstate', drop)
    return () => removeEventListener('popstate', drop)
  }, [])
  const view = ahead?.at === at ? ahead.view : ways.read(query)
  const change = (change: Partial<V>, isCorrection = false) => {
    const next = ways.change(view, change)
    setAhead({ view: next, at })
    if (next.results !== view.results) choosePageSize(next.results)
    // Typing is one step of the history, not one for each letter.
    const typesOn = Object.keys(change).join() === 'searchText' && view.searchText !== ''
    setQuery(ways.write(next), { replace: typesOn || isCorrection })
  }
  return { view, change }
}
