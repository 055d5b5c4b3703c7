/** The users page in the store: its list, and moves of single users. Rows are the device's and never come here. */
import { createSlice, isAnyOf } from '@reduxjs/toolkit'
import type { Endpoint, RowRef } from '#contract/endpoint.ts'
import { deleteUser, disableUser, enableUser, listUsers, sendActivationMail, type UserRow } from '#contract/users.ts'
import type { UserAction } from '#domain/accounts/users.ts'
import { toListQuery, userListSpec, type UsersView } from '#features/users/view.ts'
import { readList } from '#local/lists/read-list.ts'
import { readRow } from '#local/lists/read-row.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import type { CallResult } from '#request/call-results.ts'
import { type AppThunk, createAppThunk } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'

export const usersList = createListSlice<UserRow, UsersView>({
  name: 'users',
  endpoint: listUsers,
  read: readList,
  toQuery: toListQuery,
})

const actionEndpoints = {
  activatemail: sendActivationMail,
  disable: disableUser,
  enable: enableUser,
  remove: deleteUser,
} satisfies Record<UserAction, Endpoint>

interface UserActionInput {
  action: UserAction
  id: RowRef
}

/** Based on the row as it is at this moment, not as it was drawn: Undo follows its own move. */
const sendUserAction = createAppThunk(
  'users/move',
  async ({ action, id }: UserActionInput, { extra: { api }, rejectWithValue }) => {
    const storedRow = await readRow<UserRow>(userListSpec.table, id)
    const baseOption = storedRow
      ? { base: { rowVersion: getBaseVersion(storedRow), values: { status: storedRow.row.status } } }
      : {}
    const result = await api.call(actionEndpoints[action], { params: { id } }, baseOption)
    return result.kind === 'problem' ? rejectWithValue(result.problem) : result
  },
  { condition: ({ id }, { getState }) => !selectRunningActions(getState())[id] },
)

/** Rows with a move on its way, by id: a second tap is not a second wish (T-08). */
type RunningUserActions = Record<string, true>

const userActionsSlice = createSlice({
  name: 'userMoves',
  initialState: {} as RunningUserActions,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(
        sendUserAction.pending,
        (state, { meta }): RunningUserActions => ({ ...state, [meta.arg.id]: true as const }),
      )
      .addCase(signedOut, () => ({}))
      .addMatcher(isAnyOf(sendUserAction.fulfilled, sendUserAction.rejected), (state, { meta }): RunningUserActions => {
        const { [meta.arg.id]: _, ...runningActions } = state
        return runningActions
      }),
})

const injectedSlice = userActionsSlice.injectInto(rootReducer)
/** Of the whole state, whose type no feature knows. */
export const selectRunningActions = (state: object): RunningUserActions => injectedSlice.selectSlice(state)

/** Null: one of that user is already on its way. */
export const runUserAction =
  (userAction: UserAction, id: RowRef): AppThunk<CallResult<unknown> | null> =>
  async (dispatch) => {
    const action = await dispatch(sendUserAction({ action: userAction, id }))
    if (sendUserAction.fulfilled.match(action)) return action.payload
    if (action.meta.condition) return null
    if (action.payload) return { kind: 'problem', problem: action.payload }
    throw action.error
  }
