/** A forgotten password: where asking for the mail, and setting a new one by its link, stand. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import { localProblem } from '#contract/problem.ts'
import { type Status, idle } from '#state/request-status.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { root } from '#state/store.ts'
import { reached } from '#features/accounts/retry-after.ts'

type Asked = Status | { kind: 'done' }

const recovering = createSlice({
  name: 'recovering',
  initialState: { status: idle } as { status: Asked },
  reducers: {
    statusChanged: (_, { payload }: PayloadAction<Asked>) => ({ status: payload }),
  },
})

const own = recovering.injectInto(root)
export const selectRecovering = (state: object): Asked => own.selectSlice(state).status
const { statusChanged } = recovering.actions
/** A page opened: what an earlier one left is not its own. */
export const recoveryOpened = () => statusChanged(idle)
/** The address brought no key at all. */
export const keyMissing = () => statusChanged({ kind: 'failed', problem: localBadLink })
const localBadLink = localProblem('INVALID_RESETPWD_LINK')

const calls = () => import('#contract/public.ts')
/** Says the same whether or not there is such a user (S-32). */
export const forget =
  (companyCode: string, userEmail: string): AppThunk =>
  async (dispatch, _, { api }) => {
    dispatch(statusChanged({ kind: 'sending' }))
    const body = { companyCode: companyCode.trim(), userEmail: userEmail.trim() }
    const result = await reached(async () => api.call((await calls()).sendResetMail, { body }))
    dispatch(statusChanged(result.kind === 'problem' ? { kind: 'failed', problem: result.problem } : { kind: 'done' }))
  }

export const resetPassword =
  (otk: string, pwd: string): AppThunk =>
  async (dispatch, _, { api }) => {
    dispatch(statusChanged({ kind: 'sending' }))
    const result = await reached(async () => api.call((await calls()).resetPassword, { body: { otk, pwd } }))
    dispatch(statusChanged(result.kind === 'problem' ? { kind: 'failed', problem: result.problem } : { kind: 'done' }))
  }
