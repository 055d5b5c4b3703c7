import { useEffect, useRef } from 'react'
import { useNavigate, useNavigationType } from 'react-router-dom'
import { type SetQuery, useListUrl } from '#state/use-list-url.ts'
import { changeView, readView, toRememberedQuery, type UsersView, writeView } from '#features/users/view.ts'
import { usersList } from '#features/users/slice.ts'

const viewFunctions = { read: readView, write: writeView, change: changeView, toSavedQuery: toRememberedQuery }

export function useUsersView() {
  const { view, changeView: change, setQuery } = useListUrl(viewFunctions, usersList)
  return { view, change, close: useCloseDrawer(view, setQuery) }
}

/**
 * A drawer opened from this list is a step of the history: closing it takes that step back. One that was there when the
 * page came (a link, a reload) has no such step.
 */
function useCloseDrawer(view: UsersView, setQuery: SetQuery) {
  const navigate = useNavigate()
  const navigationType = useNavigationType()
  const hasHistoryStep = useRef(false)
  const wasOpen = useRef(view.open !== null)
  useEffect(() => {
    const isOpen = view.open !== null
    if (isOpen !== wasOpen.current) hasHistoryStep.current = isOpen && navigationType === 'PUSH'
    wasOpen.current = isOpen
  }, [view.open, navigationType])
  return () =>
    hasHistoryStep.current ? void navigate(-1) : setQuery(writeView({ ...view, open: null }), { replace: true })
}
