/** A forgotten password: where asking for the mail, and setting a new one by its link, stand. */
import { type PayloadAction, type ThunkAction, type UnknownAction, createSlice } from '@reduxjs/toolkit'
import { localProblem } from '#contract/problem.ts'
import { type Status, idle } from '#state/status.ts'
import { type Extra, type RootState, root } from '#state/store.ts'
import { reached } from '#features/accounts/waits.ts'

type Thunk = ThunkAction<Promise<void>, RootState, Extra, UnknownAction>
type Asked = Status | { is: 'done' }

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
export const keyMissing = () => statusChanged({ is: 'failed', problem: localBadLink })
const localBadLink = localProblem('INVALID_RESETPWD_LINK')

const calls = () => import('#contract/visitors.ts')
/** Says the same whether or not there is such a user (S-32). */
export const forget =
  (companyCode: string, userEmail: string): Thunk =>
  async (dispatch, _, { api }) => {
    dispatch(statusChanged({ is: 'sending' }))
    const body = { companyCode: companyCode.trim(), userEmail: userEmail.trim() }
    const result = await reached(async () => api.ask((await calls()).sendResetMail, { body }))
    dispatch(statusChanged(result.kind === 'problem' ? { is: 'failed', problem: result.problem } : { is: 'done' }))
  }

export const resetPassword =
  (otk: string, pwd: string): Thunk =>
  async (dispatch, _, { api }) => {
    dispatch(statusChanged({ is: 'sending' }))
    const result = await reached(async () => api.ask((await calls()).resetPassword, { body: { otk, pwd } }))
    dispatch(statusChanged(result.kind === 'problem' ? { is: 'failed', problem: result.problem } : { is: 'done' }))
  }
