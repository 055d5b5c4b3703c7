/** State of the users page: its list, and the running actions on single users. */
import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import type { Endpoint, RowRef } from '#contract/endpoint.ts'
import { createLocalProblem } from '#contract/problem.ts'
import {
  deleteUser,
  disableUser,
  enableUser,
  listUsers,
  sendActivationMail,
  userListSpec,
  type UserRow,
} from '#contract/users.ts'
import type { UserAction } from '#domain/accounts/users.ts'
import { type UsersView, usersView } from '#features/users/view.ts'
import { readRow } from '#local/lists/read-row.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import type { CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'

export const usersList = createListSlice<UserRow, UsersView>({
  name: 'users',
  endpoint: listUsers,
  toQuery: usersView.toListQuery,
})

const actionEndpoints = {
  activatemail: sendActivationMail,
  disable: disableUser,
  enable: enableUser,
  remove: deleteUser,
} satisfies Record<UserAction, Endpoint>

/** Rows with a running action, by id. While it runs, a second tap sends nothing (T-08). */
type RunningUserActions = Record<string, true>

const userActionsSlice = createSlice({
  name: 'userActions',
  initialState: {} as RunningUserActions,
  reducers: {
    actionStarted: (state, { payload }: PayloadAction<RowRef>) => ({ ...state, [payload]: true as const }),
    actionEnded(state, { payload }: PayloadAction<RowRef>) {
      const { [payload]: _, ...runningActions } = state
      return runningActions
    },
  },
  extraReducers: (builder) => builder.addCase(signedOut, () => ({})),
})
const { actionStarted, actionEnded } = userActionsSlice.actions
const injectedSlice = userActionsSlice.injectInto(rootReducer)
/** Takes the full state as `object`, because a feature does not know its type. */
export const selectRunningActions = (state: object): RunningUserActions => injectedSlice.selectSlice(state)

/**
 * Returns null if another action on this user is running. Uses the current row, not the displayed one: an undo comes after the action that
 * it reverts.
 */
export const runUserAction =
  (action: UserAction, id: RowRef): AppThunk<CallResult<unknown> | null> =>
  async (dispatch, getState) => {
    if (selectRunningActions(getState())[id]) return null
    dispatch(actionStarted(id))
    try {
      const storedRow = await readRow<UserRow>(userListSpec.table, id)
      const baseOption = storedRow && {
        base: { rowVersion: getBaseVersion(storedRow), values: { status: storedRow.row.status } },
      }
      return await dispatch(callEndpoint(actionEndpoints[action], { params: { id } }, { ...baseOption }))
    } finally {
      dispatch(actionEnded(id))
    }
  }

const inProgressProblem = createLocalProblem('IDEMPOTENCY_IN_PROGRESS')

interface UserActionInput {
  action: UserAction
  id: RowRef
}

/** Like `runUserAction`, for `useAction`: if another action is running, returns a problem instead of null. */
export const sendUserAction =
  ({ action, id }: UserActionInput): AppThunk<CallResult<unknown>> =>
  async (dispatch) =>
    (await dispatch(runUserAction(action, id))) ?? { kind: 'problem', problem: inProgressProblem }
