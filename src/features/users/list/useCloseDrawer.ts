import { useNavigate } from 'react-router-dom'
import { useHistoryStep } from '#patterns/useHistoryStep.ts'
import type { SetQuery } from '#state/use-list-url.ts'
import { type UsersView, usersView } from '#features/users/view.ts'

/**
 * Returns a function that closes the drawer. It goes back in the history only if opening the drawer added a step, that is, not after a link
 * or a reload.
 */
export function useCloseDrawer({ view, setQuery }: { view: UsersView; setQuery: SetQuery }) {
  const navigate = useNavigate()
  const hasHistoryStep = useHistoryStep(view.open !== null)
  return () =>
    hasHistoryStep.current ? void navigate(-1) : setQuery(usersView.write({ ...view, open: null }), { replace: true })
}
