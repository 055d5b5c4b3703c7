/** Typed doorways to the store; raw react-redux stays in this folder. */
import { useDispatch as useRawDispatch, useSelector as useRawSelector } from 'react-redux'
import type { Dispatch, RootState } from '#state/store.ts'

export { Provider as StoreProvider } from 'react-redux'

export const useDispatch = useRawDispatch.withTypes<Dispatch>()
export const useSelector = useRawSelector.withTypes<RootState>()

export const useSession = () => useSelector((state) => state.session)
export const useConnection = () => useSelector((state) => state.connection)

/** The signed-in user and caller; only for pages behind the guard, which are not drawn without one. */
export function useSignedIn() {
  const session = useSession()
  if (session.kind !== 'signed in') throw new Error('a page behind the guard was drawn without a session')
  return session
}
