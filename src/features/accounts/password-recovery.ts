/** A forgotten password: where asking for the mail, and setting a new one by its link, stand. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import { createLocalProblem } from '#contract/problem.ts'
import { type RequestStatus, idleStatus } from '#state/request-status.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { rootReducer } from '#state/store.ts'
import { catchUnreachable } from '#features/accounts/retry-after.ts'

type RecoveryStatus = RequestStatus | { kind: 'done' }

const recoverySlice = createSlice({
  name: 'recovering',
  initialState: { status: idleStatus } as { status: RecoveryStatus },
  reducers: {
    statusChanged: (_, { payload }: PayloadAction<RecoveryStatus>) => ({ status: payload }),
  },
})

const injectedSlice = recoverySlice.injectInto(rootReducer)
export const selectRecoveryStatus = (state: object): RecoveryStatus => injectedSlice.selectSlice(state).status
const { statusChanged } = recoverySlice.actions
/** A page opened: what an earlier one left is not its own. */
export const recoveryOpened = () => statusChanged(idleStatus)
/** The address brought no key at all. */
export const keyMissing = () => statusChanged({ kind: 'failed', problem: localBadLink })
const localBadLink = createLocalProblem('INVALID_RESETPWD_LINK')

const loadEndpoints = () => import('#contract/public.ts')
/** Says the same whether or not there is such a user (S-32). */
export const sendResetMail =
  (companyCode: string, userEmail: string): AppThunk =>
  async (dispatch, _, { api }) => {
    dispatch(statusChanged({ kind: 'sending' }))
    const body = { companyCode: companyCode.trim(), userEmail: userEmail.trim() }
    const result = await catchUnreachable(async () => api.call((await loadEndpoints()).sendResetMail, { body }))
    dispatch(statusChanged(result.kind === 'problem' ? { kind: 'failed', problem: result.problem } : { kind: 'done' }))
  }

/** Whether the link still works, before a password is thought of. Without an answer the form says so when it is sent. */
export const checkLink =
  (otk: string): AppThunk =>
  async (dispatch, _, { api }) => {
    const result = await catchUnreachable(async () => api.call((await loadEndpoints()).checkReset, { query: { otk } }))
    if (result.kind === 'problem' && result.problem.code === 'INVALID_RESETPWD_LINK')
      dispatch(statusChanged({ kind: 'failed', problem: result.problem }))
  }

export const resetPassword =
  (otk: string, pwd: string): AppThunk =>
  async (dispatch, _, { api }) => {
    dispatch(statusChanged({ kind: 'sending' }))
    const result = await catchUnreachable(async () =>
      api.call((await loadEndpoints()).resetPassword, { body: { otk, pwd } }),
    )
    dispatch(statusChanged(result.kind === 'problem' ? { kind: 'failed', problem: result.problem } : { kind: 'done' }))
  }
