/** The module form in the store: how it is being saved. */
import { createSlice } from '@reduxjs/toolkit'
import { createModule, type ModuleRow, updateModule } from '#contract/modules.ts'
import { type OverlaidRow, versionOf } from '#local/lists/list-view.ts'
import { type Sending, unsent } from '#state/form-status.ts'
import { addFormCases, createFormThunk } from '#state/form-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { root } from '#state/store.ts'
import { type bodyOf, type Values, valuesOf } from '#features/modules/form/module-form.ts'

type Write =
  | { body: ReturnType<typeof bodyOf> }
  /** The row as it stood when the form was opened, with the own write laid over it, if there is one. */
  | { opened: OverlaidRow<ModuleRow>; changes: Partial<Values> }

export const save = createFormThunk('moduleForm/save', (write: Write, { extra: { api }, getState }) => {
  const { intent } = selectSaving(getState())
  const wish = intent === null ? {} : { intent }
  if ('body' in write) return api.call(createModule, { body: write.body }, wish)
  const { opened, changes } = write
  const base = { rowVersion: versionOf(opened), values: { ...valuesOf(opened.row) } }
  return api.call(updateModule, { params: { id: opened.row.id }, body: changes as object }, { base, ...wish })
})

const saving = createSlice({
  name: 'moduleForm',
  initialState: unsent,
  reducers: { formOpened: () => unsent },
  extraReducers: (builder) => addFormCases(builder, save).addCase(signedOut, () => unsent),
})

const own = saving.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectSaving = (state: object): Sending => own.selectSlice(state)
export const { formOpened } = saving.actions
