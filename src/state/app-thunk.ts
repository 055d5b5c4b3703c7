/** Requests as thunks. */
import { createAsyncThunk, type ThunkAction, type UnknownAction } from '@reduxjs/toolkit'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import type { ThunkExtra, RootState } from '#state/store.ts'

/** A request whose state a slice keeps: fulfilled with what came of it, or rejected with the Problem. */
export const createAppThunk = createAsyncThunk.withTypes<{
  state: RootState
  extra: ThunkExtra
  rejectValue: Problem
}>()

/** Code that is loaded when first needed may be as unreachable as the server: of a call that changes something, and of a read. */
export const unreachableResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('NEEDS_CONNECTION') }
export const offlineResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('OFFLINE') }

/** Without a value something was thrown: most likely code that is fetched when first needed, and is as out of reach as the server. */
export const getRejectedProblem = ({ payload }: { payload?: Problem | undefined }): Problem =>
  payload ?? createLocalProblem('OFFLINE')

/**
 * A request of which no slice keeps anything: its caller alone is answered. Also one that takes a password or a key: what
 * `createAppThunk` is given stands in its actions, where whatever listens to the store would read it.
 */
export type AppThunk<T = void> = ThunkAction<Promise<T>, RootState, ThunkExtra, UnknownAction>

/** One call of an endpoint, of which its caller alone is told. */
export const callEndpoint =
  <E extends Endpoint>(endpoint: E, input: InputOf<E>, options?: CallOptions): AppThunk<CallResult<OutputOf<E>>> =>
  (_dispatch, _getState, { api }) =>
    api.call(endpoint, input, options)
