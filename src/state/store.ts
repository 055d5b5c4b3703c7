/** The idiom of the store. Thunks get `api` through the extra argument, so that no feature knows the network. */
import { type ThunkDispatch, type UnknownAction, combineSlices, configureStore } from '@reduxjs/toolkit'
import type { Language } from '#domain/accounts/users.ts'
import type { ApiClient, JobActions, AppPackages, CallResult, StoredTrailActions } from '#request/call-results.ts'
import { connection } from '#state/connection-slice.ts'
import { type SessionUser, session } from '#state/session-slice.ts'

/**
 * What every page may count on. A feature's slice joins when its page loads, `const own = slice.injectInto(root)`, and is
 * read by `useSelector(own.selectors.…)`: no feature needs the type of the whole.
 */
export const rootReducer = combineSlices(session, connection)
export type RootState = ReturnType<typeof rootReducer>

export interface LoginCredentials {
  company: string
  /** The e-mail. */
  username: string
  password: string
}

/** The second step of a sign-in: the token of the first, and one thing that proves it (contract/factors). */
export interface LoginSecondFactor {
  mfa_token: string
  otp?: string
  assertion?: string
  recovery_code?: string
}

export interface ThunkExtra {
  api: ApiClient
  /** Signing in and out change whose device this is, so they are no endpoint's calls (request/sign-in). */
  signIn: (
    input: (LoginCredentials | LoginSecondFactor) & { language: Language },
  ) => Promise<CallResult<{ user: SessionUser }>>
  signOut: (shouldDiscard: boolean) => Promise<void>
  /** What the list of long requests may do with them. */
  jobActions: JobActions
  packages: AppPackages
  /** What this device keeps of the audit trail, and proves of it. */
  loadTrailActions: () => Promise<StoredTrailActions>
}

export type AppDispatch = ThunkDispatch<RootState, ThunkExtra, UnknownAction>

export const createStore = (extraArgument: ThunkExtra) =>
  configureStore({
    reducer: rootReducer,
    middleware: (getDefaultMiddleware) =>
      // The development checks walk whole states on each action; ours are small and typed.
      getDefaultMiddleware({ thunk: { extraArgument }, serializableCheck: false, immutableCheck: false }),
  })
export type AppStore = ReturnType<typeof createStore>
