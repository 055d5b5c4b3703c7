/** The users page's asking: of the list, of the form, of single moves. Rows are the device's and never come here. */
import { type PayloadAction, type ThunkAction, type UnknownAction, createSlice } from '@reduxjs/toolkit'
import type { Endpoint, Id, Intent } from '#contract/endpoint.ts'
import { getUser, userExists } from '#contract/accounts.ts'
import type { Problem } from '#contract/problem.ts'
import {
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  listUsers,
  sendActivationMail,
  updateCompanyUser,
  type UserRow,
} from '#contract/users.ts'
import type { UserFields, UserMove } from '#domain/users.ts'
import { readRow } from '#local/lists.ts'
import { type Shown, versionOf } from '#local/view.ts'
import type { Result } from '#request/result.ts'
import { signedOut } from '#state/session.ts'
import { type Status, idle } from '#state/status.ts'
import { type Extra, type RootState, root } from '#state/store.ts'
import { queryOf, usersFills, type View } from '#features/users/address.ts'
import type { Changes } from '#features/users/form.ts'

type Thunk<T = void> = ThunkAction<Promise<T>, RootState, Extra, UnknownAction>

export interface Users {
  /** The query of the address when the page was left (C-02); empty for the plain list. */
  left: string
  list: Status
  /** Number of the latest asking: an older answer no longer speaks for the page. */
  asking: number
  form: Status
  /** The intent under which the form's write was refused: sent again, it is the same wish (protocol 20). */
  intent: Intent | null
  /** Rows with a move on its way, by id: a second tap is not a second wish (T-08). */
  moving: Record<string, true>
}

const initialState: Users = { left: '', list: idle, asking: 0, form: idle, intent: null, moving: {} }

export const users = createSlice({
  name: 'users',
  initialState,
  reducers: {
    viewChanged: (state, { payload }: PayloadAction<string>) => ({ ...state, left: payload }),
    listSent: (state) => ({ ...state, list: { is: 'sending' }, asking: state.asking + 1 }),
    listAnswered: (state, { payload }: PayloadAction<{ asking: number; list: Status }>) =>
      payload.asking === state.asking ? { ...state, list: payload.list } : state,
    /** A write that came back brings its problem along. */
    formOpened: (state, { payload }: PayloadAction<{ intent: Intent; problem: Problem | null } | null>) => ({
      ...state,
      form: payload?.problem ? { is: 'failed', problem: payload.problem } : idle,
      intent: payload?.intent ?? null,
    }),
    formSent: (state) => ({ ...state, form: { is: 'sending' } }),
    formAnswered: (state, { payload }: PayloadAction<Status>) => ({ ...state, form: payload }),
    formRefused: (state, { payload }: PayloadAction<{ problem: Problem; intent: Intent | null }>) => ({
      ...state,
      form: { is: 'failed', problem: payload.problem },
      intent: payload.intent,
    }),
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
export const { viewChanged, formOpened } = users.actions
const { listSent, listAnswered, formSent, formAnswered, formRefused, moveSent, moveAnswered } = users.actions

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

/** A user whom no list brought to this device yet: an address somebody shared. Null: not there, or not ours. */
export const askUser =
  (userId: Id): Thunk<UserRow | null> =>
  async (_dispatch, _getState, { api }) => {
    const result = await api.ask(getUser, { query: { userId } })
    return result.kind === 'fresh' || result.kind === 'kept' ? result.output : null
  }

/** Whether the e-mail is taken in the own company; false as well when nobody can say, for the server checks again. */
export const askTaken =
  (email: string, company: string): Thunk<boolean> =>
  async (_dispatch, _getState, { api }) => {
    const result = await api.ask(userExists, { query: { code: email, company } })
    return result.kind === 'fresh' && result.output
  }

export const create =
  (fields: UserFields): Thunk<Result<unknown>> =>
  async (dispatch, getState, { api }) => {
    dispatch(formSent())
    const { intent } = selectUsers(getState())
    return settled(dispatch, await api.ask(createUser, { body: fields }, intent === null ? {} : { intent }))
  }

/** `opened`: the row as it stood when the form was opened, with the own write laid over it, if there is one. */
export const change =
  (opened: Shown<UserRow>, changes: Changes): Thunk<Result<unknown>> =>
  async (dispatch, getState, { api }) => {
    dispatch(formSent())
    const { intent } = selectUsers(getState())
    // The list carries nothing of the form, which is there by now.
    const { fieldsOf } = await import('#features/users/form.ts')
    // All that the form showed, not only what it changes: a conflict can then tell what somebody else has changed.
    const base = { rowVersion: versionOf(opened), values: { ...fieldsOf(opened.row) } }
    const asking = { base, ...(intent === null ? {} : { intent }) }
    const asked = { params: { id: opened.row.id }, body: changes }
    return settled(dispatch, await api.ask(updateCompanyUser, asked, asking))
  }

/** A write that came back, sent again by whoever keeps it: `send` answers as any asking does. */
export const mend =
  (send: () => Promise<Result<unknown>>): Thunk<Result<unknown>> =>
  async (dispatch) => {
    dispatch(formSent())
    return settled(dispatch, await send())
  }

function settled<O>(dispatch: (action: UnknownAction) => void, result: Result<O>): Result<O> {
  if (result.kind === 'problem')
    dispatch(formRefused({ problem: result.problem, intent: intentAfter(result.problem, result.intent) }))
  else dispatch(formAnswered(result.kind === 'queued' ? { is: 'queued' } : idle))
  return result
}

/** An intent that has been used up names nothing any more: what is sent next is a new wish. */
const intentAfter = (problem: Problem, intent: Intent | undefined): Intent | null =>
  problem.code === 'INTENT_DONE' || problem.code === 'INTENT_VOID' ? null : (intent ?? null)

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
