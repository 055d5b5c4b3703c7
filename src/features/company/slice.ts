/** The company page's asking. The row comes through the device; what is typed stays in its form. */
import { type PayloadAction, type ThunkAction, type UnknownAction, createSlice } from '@reduxjs/toolkit'
import { getCompany, updateCompany } from '#contract/accounts.ts'
import type { CompanyProfile } from '#domain/companies.ts'
import { type Shown, versionOf } from '#local/view.ts'
import type { Result } from '#request/result.ts'
import { signedOut } from '#state/session.ts'
import { afterSending, type Sending, unsent } from '#state/sending.ts'
import { type Status, idle } from '#state/status.ts'
import { type Extra, type RootState, root } from '#state/store.ts'
import { type CompanyRow, profileOf } from '#features/company/form.ts'

type Thunk<T> = ThunkAction<Promise<T>, RootState, Extra, UnknownAction>

export interface Company extends Sending {
  reading: Status
}

const initialState: Company = { reading: idle, ...unsent }

export const company = createSlice({
  name: 'company',
  initialState,
  reducers: {
    read: (state, { payload }: PayloadAction<Status>) => ({ ...state, reading: payload }),
    formOpened: (state) => ({ ...state, ...unsent }),
    formTold: (state, { payload }: PayloadAction<Partial<Sending>>) => ({ ...state, ...payload }),
  },
  extraReducers: (builder) => builder.addCase(signedOut, () => initialState),
})

const own = company.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectCompany = (state: object): Company => own.selectSlice(state)
export const { formOpened } = company.actions
const { read, formTold } = company.actions

export const askCompany =
  (id: number): Thunk<void> =>
  async (dispatch, _getState, { api }) => {
    dispatch(read({ is: 'sending' }))
    const result = await api.ask(getCompany, { params: { id } })
    dispatch(read(result.kind === 'problem' ? { is: 'failed', problem: result.problem } : idle))
  }

/** `opened`: the row as it stood when the form was opened, with the own write laid over it, if there is one. */
export const save =
  (opened: Shown<CompanyRow>, changes: Partial<CompanyProfile>): Thunk<Result<unknown>> =>
  async (dispatch, getState, { api }) => {
    dispatch(formTold({ form: { is: 'sending' } }))
    const { intent } = selectCompany(getState())
    const base = { rowVersion: versionOf(opened), values: { ...profileOf(opened.row) } }
    const asked = { params: { id: opened.row.id }, body: changes }
    const result = await api.ask(updateCompany, asked, { base, ...(intent === null ? {} : { intent }) })
    dispatch(formTold(afterSending(result)))
    return result
  }
