/** The users page in the store: its list, and moves of single users. Rows are the device's and never come here. */
import { createSlice, isAnyOf } from '@reduxjs/toolkit'
import type { Endpoint, Id } from '#contract/endpoint.ts'
import { deleteUser, disableUser, enableUser, listUsers, sendActivationMail, type UserRow } from '#contract/users.ts'
import type { UserMove } from '#domain/accounts/users.ts'
import { queryOf, usersFills, type View } from '#features/users/list-url.ts'
import { readList } from '#local/lists/read-list.ts'
import { readRow } from '#local/lists/read-row.ts'
import { versionOf } from '#local/lists/list-view.ts'
import type { Result } from '#request/results.ts'
import { type AppThunk, createAppThunk } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { signedOut } from '#state/session-slice.ts'
import { root } from '#state/store.ts'

export const usersList = createListSlice<UserRow, View>({ name: 'users', endpoint: listUsers, read: readList, queryOf })

const moves = {
  activatemail: sendActivationMail,
  disable: disableUser,
  enable: enableUser,
  remove: deleteUser,
} satisfies Record<UserMove, Endpoint>

interface Move {
  what: UserMove
  id: Id
}

/** Based on the row as it is at this moment, not as it was drawn: Undo follows its own move. */
const sendMove = createAppThunk(
  'users/move',
  async ({ what, id }: Move, { extra: { api }, rejectWithValue }) => {
    const shown = await readRow<UserRow>(usersFills.table, id)
    const base = shown ? { base: { rowVersion: versionOf(shown), values: { status: shown.row.status } } } : {}
    const result = await api.call(moves[what], { params: { id } }, base)
    return result.kind === 'problem' ? rejectWithValue(result.problem) : result
  },
  { condition: ({ id }, { getState }) => !selectMoving(getState())[id] },
)

/** Rows with a move on its way, by id: a second tap is not a second wish (T-08). */
type Moving = Record<string, true>

const userMoves = createSlice({
  name: 'userMoves',
  initialState: {} as Moving,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(sendMove.pending, (state, { meta }): Moving => ({ ...state, [meta.arg.id]: true as const }))
      .addCase(signedOut, () => ({}))
      .addMatcher(isAnyOf(sendMove.fulfilled, sendMove.rejected), (state, { meta }): Moving => {
        const { [meta.arg.id]: _, ...moving } = state
        return moving
      }),
})

const own = userMoves.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectMoving = (state: object): Moving => own.selectSlice(state)

/** Null: one of that user is already on its way. */
export const move =
  (what: UserMove, id: Id): AppThunk<Result<unknown> | null> =>
  async (dispatch) => {
    const action = await dispatch(sendMove({ what, id }))
    if (sendMove.fulfilled.match(action)) return action.payload
    if (action.meta.condition) return null
    if (action.payload) return { kind: 'problem', problem: action.payload }
    throw action.error
  }
