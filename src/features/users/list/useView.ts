import { useEffect, useRef } from 'react'
import { useNavigate, useNavigationType } from 'react-router-dom'
import { type SetQuery, useListing } from '#state/use-list-url.ts'
import { changeView, readView, remembered, type View, writeView } from '#features/users/list-url.ts'
import { usersList } from '#features/users/slice.ts'

const ways = { read: readView, write: writeView, change: changeView, remembered }

export function useView() {
  const { view, change, setQuery } = useListing(ways, usersList)
  return { view, change, close: useClose(view, setQuery) }
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
