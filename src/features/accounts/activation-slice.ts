/** State of the activation of an account by a mail link. Passwords stay in the form and never enter the store. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { Problem } from '#contract/problem.ts'
import { type RequestStatus, idleStatus } from '#state/request-status.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { rootReducer } from '#state/store.ts'
import { catchUnreachable } from '#features/accounts/retry-after.ts'

/** Loaded on first use, because these endpoints import the schemas. */
const loadEndpoints = () => import('#contract/public.ts')

export type LinkState =
  | { kind: 'unknown' }
  | { kind: 'good'; shouldSetPassword: boolean }
  | { kind: 'used up'; problem: Problem }
  | { kind: 'done' }

interface ActivationState {
  linkState: LinkState
  activationStatus: RequestStatus
}

const activationSlice = createSlice({
  name: 'activation',
  initialState: { linkState: { kind: 'unknown' }, activationStatus: idleStatus } as ActivationState,
  reducers: {
    setLinkState: (_, { payload }: PayloadAction<LinkState>) => ({ linkState: payload, activationStatus: idleStatus }),
    statusChanged: (state, { payload }: PayloadAction<RequestStatus>) => ({ ...state, activationStatus: payload }),
  },
})

const injectedSlice = activationSlice.injectInto(rootReducer)
/** Takes the complete store state as `object`, because no feature knows its type. */
export const selectActivation = (state: object): ActivationState => injectedSlice.selectSlice(state)
export const { setLinkState } = activationSlice.actions
const { statusChanged } = activationSlice.actions

export const checkActivationLink =
  (otk: string): AppThunk =>
  async (dispatch, _, { api }) => {
    dispatch(setLinkState({ kind: 'unknown' }))
    const result = await catchUnreachable(async () =>
      api.call((await loadEndpoints()).checkActivation, { query: { otk } }),
    )
    if (result.kind === 'fresh')
      dispatch(setLinkState({ kind: 'good', shouldSetPassword: result.output.code === 'SET_PASSWORD' }))
    if (result.kind === 'problem') dispatch(toLinkAction(result.problem))
  }

/** Activates the account. If `password` is null, the account must already have a password. */
export const activate =
  (otk: string, password: string | null): AppThunk =>
  async (dispatch, _, { api }) => {
    dispatch(statusChanged({ kind: 'sending' }))
    const body = { otk, ...(password === null ? {} : { password }) }
    const result = await catchUnreachable(async () => api.call((await loadEndpoints()).activateUser, { body }))
    if (result.kind === 'fresh') dispatch(setLinkState({ kind: 'done' }))
    if (result.kind === 'problem') dispatch(toLinkAction(result.problem))
  }

const linkEndingCodes = new Set(['INVALID_ACTIVATE_KEY', 'NO_ACTIVATE_KEY', 'USER_STATUS_INVALID', 'USER_NOT_EXIST'])

/** Some problems make the link unusable. After others (a weak password, no connection) the link still works. */
const toLinkAction = (problem: Problem) =>
  linkEndingCodes.has(problem.code)
    ? setLinkState({ kind: 'used up', problem })
    : statusChanged({ kind: 'failed', problem })
