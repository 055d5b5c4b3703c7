/** The company page in the store: how its reading and its form's sending stand. The row comes through the device. */
import { createSlice } from '@reduxjs/toolkit'
import { getCompany, updateCompany } from '#contract/accounts.ts'
import type { Problem } from '#contract/problem.ts'
import type { CompanyProfile } from '#domain/accounts/company-fields.ts'
import { type OverlaidRow, getBaseVersion } from '#local/lists/list-view.ts'
import { createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import { type FormStatus, unsentForm } from '#state/form-status.ts'
import { addFormCases, createFormThunk } from '#state/form-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'
import { type CompanyRow, toProfile } from '#features/company/form.ts'

export const fetchCompany = createAppThunk('company/fetch', async (id: number, { extra: { api }, rejectWithValue }) => {
  const result = await api.call(getCompany, { params: { id } })
  return result.kind === 'problem' ? rejectWithValue(result.problem) : result.kind
})

interface SaveCompanyInput {
  /** The row as it stood when the form was opened, with the own write laid over it, if there is one. */
  overlaidRow: OverlaidRow<CompanyRow>
  changes: Partial<CompanyProfile>
}

export const saveCompany = createFormThunk(
  'company/save',
  ({ overlaidRow, changes }: SaveCompanyInput, { extra: { api }, getState }) => {
    const { intent } = selectCompany(getState())
    const base = { rowVersion: getBaseVersion(overlaidRow), values: { ...toProfile(overlaidRow.row) } }
    const input = { params: { id: overlaidRow.row.id }, body: changes }
    return api.call(updateCompany, input, { base, ...(intent === null ? {} : { intent }) })
  },
)

interface CompanyState extends FormStatus {
  /** Why the row could not be read. */
  problem: Problem | null
}

const initialState: CompanyState = { problem: null, ...unsentForm }

const company = createSlice({
  name: 'company',
  initialState,
  reducers: { formOpened: (state) => ({ ...state, ...unsentForm }) },
  extraReducers: (builder) =>
    addFormCases(builder, saveCompany)
      .addCase(fetchCompany.pending, (state) => ({ ...state, problem: null }))
      .addCase(fetchCompany.rejected, (state, action) => ({ ...state, problem: getRejectedProblem(action) }))
      .addCase(signedOut, () => initialState),
})

const injectedSlice = company.injectInto(rootReducer)
/** Of the whole state, whose type no feature knows. */
export const selectCompany = (state: object): CompanyState => injectedSlice.selectSlice(state)
export const { formOpened } = company.actions
