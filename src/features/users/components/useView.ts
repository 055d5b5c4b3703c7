import { useEffect, useRef } from 'react'
import { useNavigate, useNavigationType, useSearchParams } from 'react-router-dom'
import { useDispatch, useSelector } from '#state/hooks.ts'
import { changeView, readView, remembered, type View, writeView } from '#features/users/address.ts'
import { selectUsers, viewChanged } from '#features/users/slice.ts'

/** The view that the address says, and how it is changed. Coming back to a plain address, the last filter is there (C-02). */
export function useView() {
  const [query, setQuery] = useSearchParams()
  const { left } = useSelector(selectUsers)
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const view = readView(query)
  const now = remembered(view)

  const arrived = useRef(false)
  useEffect(() => {
    if (!arrived.current && query.size === 0 && left !== '') setQuery(left, { replace: true })
    else if (now !== left) dispatch(viewChanged(now))
    arrived.current = true
  }, [now, left, query, setQuery, dispatch])

  // A drawer opened from this list is a step of the history: closing it takes that step back. One that was there when
  // the page came (a link, a reload) has no such step.
  const stepped = useRef(false)
  const arrivedBy = useNavigationType()
  const wasOpen = useRef(view.open !== null)
  useEffect(() => {
    const isOpen = view.open !== null
    if (isOpen !== wasOpen.current) stepped.current = isOpen && arrivedBy === 'PUSH'
    wasOpen.current = isOpen
  }, [view.open, arrivedBy])

  return {
    view,
    /** Typing is one step of the history, not one for each letter. */
    change: (change: Partial<View>) => {
      const typesOn = Object.keys(change).join() === 'searchText' && view.searchText !== ''
      setQuery(writeView(changeView(view, change)), { replace: typesOn })
    },
    close: () =>
      stepped.current ? void navigate(-1) : setQuery(writeView({ ...view, open: null }), { replace: true }),
  }
}
