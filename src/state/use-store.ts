/** Typed doorways to the store; raw react-redux stays in this folder. */
import { useDispatch as useRawDispatch, useSelector as useRawSelector, useStore as useRawStore } from 'react-redux'
import type { AppDispatch, RootState, AppStore } from '#state/store.ts'

export { Provider as StoreProvider } from 'react-redux'

export const useDispatch = useRawDispatch.withTypes<AppDispatch>()
export const useSelector = useRawSelector.withTypes<RootState>()
/** For what an effect reads once: nothing is drawn again when it changes. */
export const useStore = useRawStore.withTypes<AppStore>()

export const useSession = () => useSelector((state) => state.session)
export const useConnection = () => useSelector((state) => state.connection)

/** Why no change can be saved now, to be said before one is typed in vain; `reason` is its short message. Null: it can. */
export function useSaveBlocked() {
  const { networkState, isSessionExpired, isDeviceFull } = useConnection()
  if (isSessionExpired) return { code: 'SESSION_LAPSED', reason: 'form.lapsed' } as const
  return isDeviceFull && networkState !== 'online' ? ({ code: 'DEVICE_FULL', reason: 'form.full' } as const) : null
}

/** The signed-in user and caller; only for pages behind the guard, which are not drawn without one. */
export function useSignedInSession() {
  const session = useSession()
  if (session.kind !== 'signed in') throw new Error('a page behind the guard was drawn without a session')
  return session
}
