import { createAsyncThunk, type ThunkAction, type UnknownAction } from '@reduxjs/toolkit'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import type { ThunkExtra, RootState } from '#state/store.ts'

/** Creates a request whose state is in a slice. Fulfilled with the result, or rejected with the Problem. */
export const createAppThunk = createAsyncThunk.withTypes<{
  state: RootState
  extra: ThunkExtra
  rejectValue: Problem
}>()

/** Results if lazy code cannot be loaded: the first for a call that changes something, the second for a read. */
export const unreachableResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('NEEDS_CONNECTION') }
export const offlineResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('OFFLINE') }

/**
 * Returns the problem of a rejected thunk. Without a payload the thunk has thrown, most likely because its code could not be loaded without
 * a connection.
 */
export const getRejectedProblem = ({ payload }: { payload?: Problem | undefined }): Problem =>
  payload ?? createLocalProblem('OFFLINE')

/**
 * A request whose state is in no slice; only its caller gets the result. Required for calls with a password or a key, because the arguments
 * of `createAppThunk` are in its actions, where store listeners can read them.
 */
export type AppThunk<T = void> = ThunkAction<Promise<T>, RootState, ThunkExtra, UnknownAction>

export const callEndpoint =
  <E extends Endpoint>(endpoint: E, input: InputOf<E>, options?: CallOptions): AppThunk<CallResult<OutputOf<E>>> =>
  (_dispatch, getState, { api }) =>
    api.call(endpoint, input, endpoint.job ? { ...options, ...getShownSubject(getState()) } : options)

function getShownSubject({ session }: RootState): Pick<CallOptions, 'shownTo'> {
  if (session.kind !== 'signed in') return {}
  return { shownTo: { companyId: session.user.company_id, userId: session.user.id } }
}
