/** The company page in the store: how its reading and its form's sending stand. The row comes through the device. */
import { createSlice } from '@reduxjs/toolkit'
import { getCompany, updateCompany } from '#contract/accounts.ts'
import type { Problem } from '#contract/problem.ts'
import type { CompanyProfile } from '#domain/accounts/companies.ts'
import { type OverlaidRow, versionOf } from '#local/lists/list-view.ts'
import { createAppThunk, problemOfRejected } from '#state/app-thunk.ts'
import { type Sending, unsent } from '#state/form-status.ts'
import { addFormCases, createFormThunk } from '#state/form-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { root } from '#state/store.ts'
import { type CompanyRow, profileOf } from '#features/company/form.ts'

export const fetchCompany = createAppThunk('company/fetch', async (id: number, { extra: { api }, rejectWithValue }) => {
  const result = await api.call(getCompany, { params: { id } })
  return result.kind === 'problem' ? rejectWithValue(result.problem) : result.kind
})

interface Opened {
  /** The row as it stood when the form was opened, with the own write laid over it, if there is one. */
  opened: OverlaidRow<CompanyRow>
  changes: Partial<CompanyProfile>
}

export const save = createFormThunk('company/save', ({ opened, changes }: Opened, { extra: { api }, getState }) => {
  const { intent } = selectCompany(getState())
  const base = { rowVersion: versionOf(opened), values: { ...profileOf(opened.row) } }
  const asked = { params: { id: opened.row.id }, body: changes }
  return api.call(updateCompany, asked, { base, ...(intent === null ? {} : { intent }) })
})

interface Company extends Sending {
  /** Why the row could not be read. */
  problem: Problem | null
}

const initialState: Company = { problem: null, ...unsent }

const company = createSlice({
  name: 'company',
  initialState,
  reducers: { formOpened: (state) => ({ ...state, ...unsent }) },
  extraReducers: (builder) =>
    addFormCases(builder, save)
      .addCase(fetchCompany.pending, (state) => ({ ...state, problem: null }))
      .addCase(fetchCompany.rejected, (state, action) => ({ ...state, problem: problemOfRejected(action) }))
      .addCase(signedOut, () => initialState),
})

const own = company.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectCompany = (state: object): Company => own.selectSlice(state)
export const { formOpened } = company.actions
