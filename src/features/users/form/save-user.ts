/** The user form in the store: how it is being saved. Apart from the list, which carries nothing of a form. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { Id, Intent, OutputOf } from '#contract/endpoint.ts'
import { getUser, userExists } from '#contract/accounts.ts'
import type { Problem } from '#contract/problem.ts'
import { createUser, updateCompanyUser, type UserRow } from '#contract/users.ts'
import type { UserFields } from '#domain/accounts/users.ts'
import { type OverlaidRow, versionOf } from '#local/lists/list-view.ts'
import type { Result } from '#request/results.ts'
import { signedOut } from '#state/session-slice.ts'
import { type Sending, unsent } from '#state/form-status.ts'
import { addFormCases, createFormThunk } from '#state/form-thunk.ts'
import { idle } from '#state/request-status.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { root } from '#state/store.ts'
import { type Changes, fieldsOf } from '#features/users/form/user-form.ts'

type Write =
  | { body: UserFields }
  /** `opened`: the row as it stood when the form was opened, with the own write laid over it, if there is one. */
  | { opened: OverlaidRow<UserRow>; changes: Changes }
  /** A write that came back, sent again by whoever keeps it: answers as any request does. */
  | { send: () => Promise<Result<unknown>> }

export const save = createFormThunk('userForm/save', (write: Write, { extra: { api }, getState }) => {
  if ('send' in write) return write.send()
  const { intent } = selectSaving(getState())
  const wish = intent === null ? {} : { intent }
  if ('body' in write) return api.call(createUser, { body: write.body }, wish)
  const { row } = write.opened
  // All that the form showed, not only what it changes: a conflict can then tell what somebody else has changed.
  const base = { rowVersion: versionOf(write.opened), values: { ...fieldsOf(row) } }
  return api.call(updateCompanyUser, { params: { id: row.id }, body: write.changes }, { base, ...wish })
})

const saving = createSlice({
  name: 'userForm',
  initialState: unsent,
  reducers: {
    /** A write that came back brings its problem along. */
    formOpened: (_, { payload }: PayloadAction<{ intent: Intent; problem: Problem | null } | null>): Sending => ({
      form: payload?.problem ? { kind: 'failed', problem: payload.problem } : idle,
      intent: payload?.intent ?? null,
    }),
  },
  extraReducers: (builder) => addFormCases(builder, save).addCase(signedOut, () => unsent),
})

const own = saving.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectSaving = (state: object): Sending => own.selectSlice(state)
export const { formOpened } = saving.actions

/**
 * A user by id: one whom no list brought to this device yet (an address somebody shared), or what a list does not tell.
 */
export const askUser =
  (userId: Id): AppThunk<Result<OutputOf<typeof getUser>>> =>
  (_dispatch, _getState, { api }) =>
    api.call(getUser, { query: { userId } })

/** Whether the e-mail is taken in the own company; false as well when nobody can say, for the server checks again. */
export const askTaken =
  (email: string, company: string): AppThunk<boolean> =>
  async (_dispatch, _getState, { api }) => {
    const result = await api.call(userExists, { query: { code: email, company } })
    return result.kind === 'fresh' && result.output
  }
