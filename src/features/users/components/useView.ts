import { useEffect, useRef, useState } from 'react'
import { useNavigate, useNavigationType, useSearchParams } from 'react-router-dom'
import { useDispatch, useSelector } from '#state/hooks.ts'
import { changeView, readView, remembered, type View, writeView } from '#features/users/address.ts'
import { selectUsers, viewChanged } from '#features/users/slice.ts'

/** The view that the address says, and how it is changed. Coming back to a plain address, the last filter is there (C-02). */
export function useView() {
  const [query, setQuery] = useSearchParams()
  const { view, change } = useAhead(query, setQuery)
  useRemembered(query, setQuery)
  return { view, change, close: useClose(view, setQuery) }
}

type SetQuery = ReturnType<typeof useSearchParams>[1]

/**
 * The router changes the address in its own time; a box that was ticked must not be seen unticked until then. So the
 * view goes ahead, for as long as the address is still the one it was chosen at.
 */
function useAhead(query: URLSearchParams, setQuery: SetQuery) {
  const [ahead, setAhead] = useState<{ view: View; at: string } | null>(null)
  const at = query.toString()
  // Once the address has moved, it alone counts: Back may lead to the very one it was chosen at.
  if (ahead !== null && ahead.at !== at) setAhead(null)
  const view = ahead?.at === at ? ahead.view : readView(query)
  const change = (change: Partial<View>) => {
    const next = changeView(view, change)
    setAhead({ view: next, at })
    // Typing is one step of the history, not one for each letter.
    const typesOn = Object.keys(change).join() === 'searchText' && view.searchText !== ''
    setQuery(writeView(next), { replace: typesOn })
  }
  return { view, change }
}

function useRemembered(query: URLSearchParams, setQuery: SetQuery) {
  const { left } = useSelector(selectUsers)
  const dispatch = useDispatch()
  const now = remembered(readView(query))
  const arrived = useRef(false)
  useEffect(() => {
    if (!arrived.current && query.size === 0 && left !== '') setQuery(left, { replace: true })
    else if (now !== left) dispatch(viewChanged(now))
    arrived.current = true
  }, [now, left, query, setQuery, dispatch])
}

/**
 * A drawer opened from this list is a step of the history: closing it takes that step back. One that was there when the
 * page came (a link, a reload) has no such step.
 */
function useClose(view: View, setQuery: SetQuery) {
  const navigate = useNavigate()
  const arrivedBy = useNavigationType()
  const stepped = useRef(false)
  const wasOpen = useRef(view.open !== null)
  useEffect(() => {
    const isOpen = view.open !== null
    if (isOpen !== wasOpen.current) stepped.current = isOpen && arrivedBy === 'PUSH'
    wasOpen.current = isOpen
  }, [view.open, arrivedBy])
  return () => (stepped.current ? void navigate(-1) : setQuery(writeView({ ...view, open: null }), { replace: true }))
}
