/** The user form in the store: how it is being saved. Apart from the list, which carries nothing of a form. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { RowRef, Intent, OutputOf } from '#contract/endpoint.ts'
import { getUser, userExists } from '#contract/accounts.ts'
import type { Problem } from '#contract/problem.ts'
import { createUser, updateCompanyUser, type UserRow } from '#contract/users.ts'
import type { UserFields } from '#domain/accounts/users.ts'
import { type OverlaidRow, getBaseVersion } from '#local/lists/list-view.ts'
import type { CallResult } from '#request/call-results.ts'
import { signedOut } from '#state/session-slice.ts'
import { type FormStatus, unsentForm } from '#state/form-status.ts'
import { addFormCases, createFormThunk } from '#state/form-thunk.ts'
import { idleStatus } from '#state/request-status.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { rootReducer } from '#state/store.ts'
import { type UserChanges, toUserFields } from '#features/users/form/user-form.ts'

type SaveUserRequest =
  | { body: UserFields }
  /** `initialRow`: the row as it stood when the form was opened, with the own write laid over it, if there is one. */
  | { initialRow: OverlaidRow<UserRow>; changes: UserChanges }
  /** A write that came back, sent again by whoever keeps it: answers as any request does. */
  | { send: () => Promise<CallResult<unknown>> }

export const saveUser = createFormThunk('userForm/save', (request: SaveUserRequest, { extra: { api }, getState }) => {
  if ('send' in request) return request.send()
  const { intent } = selectUserSaving(getState())
  const intentOption = intent === null ? {} : { intent }
  if ('body' in request) return api.call(createUser, { body: request.body }, intentOption)
  const { row } = request.initialRow
  // All that the form showed, not only what it changes: a conflict can then tell what somebody else has changed.
  const base = { rowVersion: getBaseVersion(request.initialRow), values: { ...toUserFields(row) } }
  return api.call(updateCompanyUser, { params: { id: row.id }, body: request.changes }, { base, ...intentOption })
})

const saveSlice = createSlice({
  name: 'userForm',
  initialState: unsentForm,
  reducers: {
    /** A write that came back brings its problem along. */
    formOpened: (_, { payload }: PayloadAction<{ intent: Intent; problem: Problem | null } | null>): FormStatus => ({
      form: payload?.problem ? { kind: 'failed', problem: payload.problem } : idleStatus,
      intent: payload?.intent ?? null,
    }),
  },
  extraReducers: (builder) => addFormCases(builder, saveUser).addCase(signedOut, () => unsentForm),
})

const injectedSlice = saveSlice.injectInto(rootReducer)
/** Of the whole state, whose type no feature knows. */
export const selectUserSaving = (state: object): FormStatus => injectedSlice.selectSlice(state)
export const { formOpened } = saveSlice.actions

/**
 * A user by id: one whom no list brought to this device yet (an address somebody shared), or what a list does not tell.
 */
export const fetchUser =
  (userId: RowRef): AppThunk<CallResult<OutputOf<typeof getUser>>> =>
  (_dispatch, _getState, { api }) =>
    api.call(getUser, { query: { userId } })

/** Whether the e-mail is taken in the own company; false as well when nobody can say, for the server checks again. */
export const checkEmailTaken =
  (email: string, company: string): AppThunk<boolean> =>
  async (_dispatch, _getState, { api }) => {
    const result = await api.call(userExists, { query: { code: email, company } })
    return result.kind === 'fresh' && result.output
  }
