/** The editor in the store: how its list is being saved or confirmed. */
import { createSlice } from '@reduxjs/toolkit'
import { createPriceList, type PriceRow, updatePriceList } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { type OverlaidRow, versionOf } from '#local/lists/list-view.ts'
import { type Sending, unsent } from '#state/form-status.ts'
import { addFormCases, createFormThunk } from '#state/form-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { root } from '#state/store.ts'
import type { SentList } from '#features/prices/sent-list.ts'

export type Write =
  | { type: ClientType; list: SentList }
  /** `before`: the list as it stood when the form was opened, in the same shape. */
  | { opened: OverlaidRow<PriceRow>; before: SentList; changes: Partial<SentList> & { confirmed?: true } }

export const save = createFormThunk('priceListForm/save', (write: Write, { extra: { api }, getState }) => {
  const { intent } = selectSaving(getState())
  const wish = intent === null ? {} : { intent }
  if ('list' in write) return api.call(createPriceList, { body: { type: write.type, ...write.list } }, wish)
  const { opened, before, changes } = write
  const base = {
    rowVersion: versionOf(opened),
    values: { ...before, type: opened.row.type, confirmed: opened.row.confirmed },
  }
  return api.call(updatePriceList, { body: { id: opened.row.id, ...changes } as never }, { base, ...wish })
})

const saving = createSlice({
  name: 'priceListForm',
  initialState: unsent,
  reducers: { formOpened: () => unsent },
  extraReducers: (builder) => addFormCases(builder, save).addCase(signedOut, () => unsent),
})

const own = saving.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectSaving = (state: object): Sending => own.selectSlice(state)
export const { formOpened } = saving.actions
