/** The users page's asking: of the list, and of single moves. Rows are the device's and never come here. */
import { type PayloadAction, type ThunkAction, type UnknownAction, createSlice } from '@reduxjs/toolkit'
import type { Endpoint, Id } from '#contract/endpoint.ts'
import { deleteUser, disableUser, enableUser, listUsers, sendActivationMail, type UserRow } from '#contract/users.ts'
import type { UserMove } from '#domain/users.ts'
import { readRow } from '#local/lists.ts'
import { versionOf } from '#local/view.ts'
import type { Result } from '#request/result.ts'
import { signedOut } from '#state/session.ts'
import { type Status, idle } from '#state/status.ts'
import { type Extra, type RootState, root } from '#state/store.ts'
import { queryOf, usersFills, type View } from '#features/users/address.ts'

type Thunk<T = void> = ThunkAction<Promise<T>, RootState, Extra, UnknownAction>

export interface Users {
  /** The query of the address when the page was left (C-02); empty for the plain list. */
  left: string
  list: Status
  /** Number of the latest asking: an older answer no longer speaks for the page. */
  asking: number
  /** Rows with a move on its way, by id: a second tap is not a second wish (T-08). */
  moving: Record<string, true>
}

const initialState: Users = { left: '', list: idle, asking: 0, moving: {} }

export const users = createSlice({
  name: 'users',
  initialState,
  reducers: {
    viewChanged: (state, { payload }: PayloadAction<string>) => ({ ...state, left: payload }),
    listSent: (state) => ({ ...state, list: { is: 'sending' }, asking: state.asking + 1 }),
    listAnswered: (state, { payload }: PayloadAction<{ asking: number; list: Status }>) =>
      payload.asking === state.asking ? { ...state, list: payload.list } : state,
    moveSent: (state, { payload }: PayloadAction<Id>) => ({
      ...state,
      moving: { ...state.moving, [String(payload)]: true as const },
    }),
    moveAnswered: (state, { payload }: PayloadAction<Id>) => {
      const { [String(payload)]: _, ...moving } = state.moving
      return { ...state, moving }
    },
  },
  // The next user of this device begins with a plain list.
  extraReducers: (builder) => builder.addCase(signedOut, () => initialState),
})

const own = users.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectUsers = (state: object): Users => own.selectSlice(state)
export const { viewChanged } = users.actions
const { listSent, listAnswered, moveSent, moveAnswered } = users.actions

/** The rows themselves come through the device's live query; what is learned here is only how the asking went. */
export const askList =
  (companyId: number, view: View): Thunk =>
  async (dispatch, getState, { api }) => {
    dispatch(listSent())
    const { asking } = selectUsers(getState())
    const result = await api.ask(listUsers, { params: { companyId }, query: queryOf(view) })
    const list: Status = result.kind === 'problem' ? { is: 'failed', problem: result.problem } : idle
    dispatch(listAnswered({ asking, list }))
  }

const moves = {
  activatemail: sendActivationMail,
  disable: disableUser,
  enable: enableUser,
  remove: deleteUser,
} satisfies Record<UserMove, Endpoint>

/** Based on the row as it is at this moment, not as it was drawn: Undo follows its own move. Null: already on its way. */
export const move =
  (what: UserMove, id: Id): Thunk<Result<unknown> | null> =>
  async (dispatch, getState, { api }) => {
    if (selectUsers(getState()).moving[id]) return null
    dispatch(moveSent(id))
    const shown = await readRow<UserRow>(usersFills.table, id)
    const base = shown ? { base: { rowVersion: versionOf(shown), values: { status: shown.row.status } } } : {}
    const result = await api.ask(moves[what], { params: { id } }, base)
    dispatch(moveAnswered(id))
    return result
  }
