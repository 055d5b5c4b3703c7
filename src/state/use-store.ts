/** Typed hooks of the store. Only this folder imports react-redux. */
import { useDispatch as useRawDispatch, useSelector as useRawSelector, useStore as useRawStore } from 'react-redux'
import type { ActingChange } from '#contract/staff/acting-changes.ts'
import type { AppDispatch, RootState, AppStore } from '#state/store.ts'

export { Provider as StoreProvider } from 'react-redux'

export const useDispatch = useRawDispatch.withTypes<AppDispatch>()
export const useSelector = useRawSelector.withTypes<RootState>()
/** Returns the store, for an effect that reads the state once. Changes of the state do not render the component again. */
export const useStore = useRawStore.withTypes<AppStore>()

export const useSession = () => useSelector((state) => state.session)
export const useConnection = () => useSelector((state) => state.connection)

/** Whether the user acts for a customer (decision 111). */
export const useIsActing = (): boolean =>
  useSelector(({ session }) => session.kind === 'signed in' && session.user.acting_until !== undefined)

/**
 * Returns why the call is not allowed while the user acts for a customer, as a message key, otherwise null. Without a call: any change that
 * no consent allows (decision 116).
 */
export function useActingBlock(call?: ActingChange) {
  const isActing = useIsActing()
  const allowsChanges = useSelector(
    ({ session }) => session.kind === 'signed in' && session.user.acting_changes === true,
  )
  if (!isActing) return null
  if (!allowsChanges) return 'form.acting'
  return call === undefined ? 'form.actingOther' : null
}

/**
 * Reason why nothing can be saved now, shown before the user types; `reason` is a message key. Null if none. `call`: what is saved, if a
 * consent may allow it. While the user acts for a customer, nothing is queued, so a connection is needed.
 */
export function useSaveBlocked(call?: ActingChange) {
  const { networkState, isSessionExpired, isDeviceFull } = useConnection()
  const isActing = useIsActing()
  const actingBlock = useActingBlock(call)
  if (actingBlock) return { code: 'ACTING_READ_ONLY', reason: actingBlock } as const
  if (isSessionExpired) return { code: 'SESSION_LAPSED', reason: 'form.lapsed' } as const
  if (isActing && networkState !== 'online') return { code: 'NEEDS_CONNECTION', reason: 'form.actingOffline' } as const
  return isDeviceFull && networkState !== 'online' ? ({ code: 'DEVICE_FULL', reason: 'form.full' } as const) : null
}

/** Returns the signed-in user and caller. Throws on pages without the session guard. */
export function useSignedInSession() {
  const session = useSession()
  if (session.kind !== 'signed in') throw new Error('a page that requires a session was rendered without one')
  return session
}
