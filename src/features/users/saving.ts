/** The user form's asking: what it opens on, what it saves. Apart from the list, which carries nothing of a form. */
import { type PayloadAction, type ThunkAction, type UnknownAction, createSlice } from '@reduxjs/toolkit'
import type { Id, Intent, OutputOf } from '#contract/endpoint.ts'
import { getUser, userExists } from '#contract/accounts.ts'
import type { Problem } from '#contract/problem.ts'
import { createUser, updateCompanyUser, type UserRow } from '#contract/users.ts'
import type { UserFields } from '#domain/users.ts'
import { type Shown, versionOf } from '#local/view.ts'
import type { Result } from '#request/result.ts'
import { signedOut } from '#state/session.ts'
import { afterSending, type Sending, unsent } from '#state/sending.ts'
import { idle } from '#state/status.ts'
import { type Extra, type RootState, root } from '#state/store.ts'
import { type Changes, fieldsOf } from '#features/users/form.ts'

type Thunk<T = void> = ThunkAction<Promise<T>, RootState, Extra, UnknownAction>

export const saving = createSlice({
  name: 'userForm',
  initialState: unsent,
  reducers: {
    /** A write that came back brings its problem along. */
    formOpened: (_, { payload }: PayloadAction<{ intent: Intent; problem: Problem | null } | null>): Sending => ({
      form: payload?.problem ? { is: 'failed', problem: payload.problem } : idle,
      intent: payload?.intent ?? null,
    }),
    formTold: (state, { payload }: PayloadAction<Partial<Sending>>): Sending => ({ ...state, ...payload }),
  },
  extraReducers: (builder) => builder.addCase(signedOut, () => unsent),
})

const own = saving.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectSaving = (state: object): Sending => own.selectSlice(state)
export const { formOpened } = saving.actions
const { formTold } = saving.actions

/**
 * A user by id: one whom no list brought to this device yet (an address somebody shared), or what a list does not tell.
 * Null: not there, or not ours.
 */
export const askUser =
  (userId: Id): Thunk<OutputOf<typeof getUser> | null> =>
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
    dispatch(formTold({ form: { is: 'sending' } }))
    const { intent } = selectSaving(getState())
    return settled(dispatch, await api.ask(createUser, { body: fields }, intent === null ? {} : { intent }))
  }

/** `opened`: the row as it stood when the form was opened, with the own write laid over it, if there is one. */
export const change =
  (opened: Shown<UserRow>, changes: Changes): Thunk<Result<unknown>> =>
  async (dispatch, getState, { api }) => {
    dispatch(formTold({ form: { is: 'sending' } }))
    const { intent } = selectSaving(getState())
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
    dispatch(formTold({ form: { is: 'sending' } }))
    return settled(dispatch, await send())
  }

function settled<O>(dispatch: (action: UnknownAction) => void, result: Result<O>): Result<O> {
  dispatch(formTold(afterSending(result)))
  return result
}
