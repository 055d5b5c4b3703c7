/** Typed hooks of the store. Only this folder imports react-redux. */
import { useDispatch as useRawDispatch, useSelector as useRawSelector, useStore as useRawStore } from 'react-redux'
import type { AppDispatch, RootState, AppStore } from '#state/store.ts'

export { Provider as StoreProvider } from 'react-redux'

export const useDispatch = useRawDispatch.withTypes<AppDispatch>()
export const useSelector = useRawSelector.withTypes<RootState>()
/** Returns the store, for an effect that reads the state once. Changes of the state do not render the component again. */
export const useStore = useRawStore.withTypes<AppStore>()

export const useSession = () => useSelector((state) => state.session)
export const useConnection = () => useSelector((state) => state.connection)

/** Whether the user acts for a customer, for whom nothing can be changed (decision 111). */
export const useIsActing = (): boolean =>
  useSelector(({ session }) => session.kind === 'signed in' && session.user.acting_until !== undefined)

/** Reason why nothing can be saved now, shown before the user types; `reason` is a message key. Null if none. */
export function useSaveBlocked() {
  const { networkState, isSessionExpired, isDeviceFull } = useConnection()
  const isActing = useIsActing()
  if (isActing) return { code: 'ACTING_READ_ONLY', reason: 'form.acting' } as const
  if (isSessionExpired) return { code: 'SESSION_LAPSED', reason: 'form.lapsed' } as const
  return isDeviceFull && networkState !== 'online' ? ({ code: 'DEVICE_FULL', reason: 'form.full' } as const) : null
}

/** Returns the signed-in user and caller. Throws on pages without the session guard. */
export function useSignedInSession() {
  const session = useSession()
  if (session.kind !== 'signed in') throw new Error('a page that requires a session was rendered without one')
  return session
}
