/** The module form in the store: how it is being saved. */
import { createSlice } from '@reduxjs/toolkit'
import { createModule, type ModuleRow, updateModule } from '#contract/modules.ts'
import { type OverlaidRow, getBaseVersion } from '#local/lists/list-view.ts'
import { type FormStatus, unsentForm } from '#state/form-status.ts'
import { addFormCases, createFormThunk } from '#state/form-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'
import { type toModuleBody, type ModuleValues, toModuleValues } from '#features/modules/form/module-form.ts'

type SaveModuleRequest =
  | { body: ReturnType<typeof toModuleBody> }
  /** The row as it stood when the form was opened, with the own write laid over it, if there is one. */
  | { initialRow: OverlaidRow<ModuleRow>; changes: Partial<ModuleValues> }

export const saveModule = createFormThunk(
  'moduleForm/save',
  (request: SaveModuleRequest, { extra: { api }, getState }) => {
    const { intent } = selectModuleSaving(getState())
    const intentOption = intent === null ? {} : { intent }
    if ('body' in request) return api.call(createModule, { body: request.body }, intentOption)
    const { initialRow, changes } = request
    const base = { rowVersion: getBaseVersion(initialRow), values: { ...toModuleValues(initialRow.row) } }
    return api.call(
      updateModule,
      { params: { id: initialRow.row.id }, body: changes as object },
      { base, ...intentOption },
    )
  },
)

const saveSlice = createSlice({
  name: 'moduleForm',
  initialState: unsentForm,
  reducers: { formOpened: () => unsentForm },
  extraReducers: (builder) => addFormCases(builder, saveModule).addCase(signedOut, () => unsentForm),
})

const injectedSlice = saveSlice.injectInto(rootReducer)
/** Of the whole state, whose type no feature knows. */
export const selectModuleSaving = (state: object): FormStatus => injectedSlice.selectSlice(state)
export const { formOpened } = saveSlice.actions
