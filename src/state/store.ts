/** The idiom of the store. Thunks get `api` through the extra argument, so that no feature knows the network. */
import { type ThunkDispatch, type UnknownAction, combineSlices, configureStore } from '@reduxjs/toolkit'
import type { Api } from '#request/result.ts'
import { connection } from '#state/connection.ts'
import { session } from '#state/session.ts'

/**
 * What every page may count on. A feature's slice joins when its page loads, `const own = slice.injectInto(root)`, and is
 * read by `useSelector(own.selectors.…)`: no feature needs the type of the whole.
 */
export const root = combineSlices(session, connection)
export type RootState = ReturnType<typeof root>

export interface Extra {
  api: Api
}

export type Dispatch = ThunkDispatch<RootState, Extra, UnknownAction>

export const makeStore = (api: Api) =>
  configureStore({
    reducer: root,
    middleware: (defaults) =>
      // The development checks walk whole states on each action; ours are small and typed.
      defaults({ thunk: { extraArgument: { api } satisfies Extra }, serializableCheck: false, immutableCheck: false }),
  })
export type Store = ReturnType<typeof makeStore>
