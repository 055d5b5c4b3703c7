/** The idiom of the store. Thunks get `api` through the extra argument, so that no feature knows the network. */
import { type ThunkDispatch, type UnknownAction, combineSlices, configureStore } from '@reduxjs/toolkit'
import type { Language } from '#domain/accounts/users.ts'
import type { Api, JobActions, Packages, Result, TrailKeeper } from '#request/results.ts'
import { connection } from '#state/connection-slice.ts'
import { type SessionUser, session } from '#state/session-slice.ts'

/**
 * What every page may count on. A feature's slice joins when its page loads, `const own = slice.injectInto(root)`, and is
 * read by `useSelector(own.selectors.…)`: no feature needs the type of the whole.
 */
export const root = combineSlices(session, connection)
export type RootState = ReturnType<typeof root>

export interface Credentials {
  company: string
  /** The e-mail. */
  username: string
  password: string
}

/** The second step of a sign-in: the token of the first, and one thing that proves it (contract/factors). */
export interface SecondFactor {
  mfa_token: string
  otp?: string
  assertion?: string
  recovery_code?: string
}

export interface Extra {
  api: Api
  /** Signing in and out change whose device this is, so they are no endpoint's calls (request/sign-in). */
  enter: (given: (Credentials | SecondFactor) & { language: Language }) => Promise<Result<{ user: SessionUser }>>
  leave: (discard: boolean) => Promise<void>
  /** What the list of long requests may do with them. */
  jobs: JobActions
  packages: Packages
  /** What this device keeps of the audit trail, and proves of it. */
  trails: () => Promise<TrailKeeper>
}

export type Dispatch = ThunkDispatch<RootState, Extra, UnknownAction>

export const makeStore = (extraArgument: Extra) =>
  configureStore({
    reducer: root,
    middleware: (defaults) =>
      // The development checks walk whole states on each action; ours are small and typed.
      defaults({ thunk: { extraArgument }, serializableCheck: false, immutableCheck: false }),
  })
export type Store = ReturnType<typeof makeStore>
