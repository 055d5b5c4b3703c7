/** The Redux store. Thunks get `api` through the extra argument, so that no feature accesses the network. */
import { type ThunkDispatch, type UnknownAction, combineSlices, configureStore } from '@reduxjs/toolkit'
import type { Language } from '#domain/accounts/users.ts'
import type { ApiClient, JobActions, AppPackages, CallResult, StoredTrailActions } from '#request/call-results.ts'
import { connection } from '#state/connection-slice.ts'
import { type SessionUser, session } from '#state/session-slice.ts'

/**
 * Slices of every page. The slice of a feature is added when its page loads, by `const own = slice.injectInto(root)`, and read by
 * `useSelector(own.selectors.…)`. No feature needs the type of the complete state.
 */
export const rootReducer = combineSlices(session, connection)
export type RootState = ReturnType<typeof rootReducer>

export interface LoginCredentials {
  company: string
  /** The e-mail address. */
  username: string
  password: string
}

/** The second step of a sign-in: the token of the first step, and one proof of identity (contract/factors). */
export interface LoginSecondFactor {
  mfa_token: string
  otp?: string
  assertion?: string
  recovery_code?: string
}

export interface ThunkExtra {
  api: ApiClient
  /** Signing in and out change the session of the device, so they are not calls of an endpoint (request/session/sign-in). */
  signIn: (
    input: (LoginCredentials | LoginSecondFactor) & { language: Language },
  ) => Promise<CallResult<{ user: SessionUser }>>
  signOut: (shouldDiscard: boolean) => Promise<void>
  jobActions: JobActions
  packages: AppPackages
  loadTrailActions: () => Promise<StoredTrailActions>
}

export type AppDispatch = ThunkDispatch<RootState, ThunkExtra, UnknownAction>

export const createStore = (extraArgument: ThunkExtra) =>
  configureStore({
    reducer: rootReducer,
    middleware: (getDefaultMiddleware) =>
      // The checks of the development build walk the complete state on each action. This state is small and typed, so they are off.
      getDefaultMiddleware({ thunk: { extraArgument }, serializableCheck: false, immutableCheck: false }),
  })
export type AppStore = ReturnType<typeof createStore>
