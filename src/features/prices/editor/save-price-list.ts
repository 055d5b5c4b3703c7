/** The editor in the store: how its list is being saved or confirmed. */
import { createSlice } from '@reduxjs/toolkit'
import { createPriceList, type PriceRow, updatePriceList } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { type OverlaidRow, getBaseVersion } from '#local/lists/list-view.ts'
import { type FormStatus, unsentForm } from '#state/form-status.ts'
import { addFormCases, createFormThunk } from '#state/form-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'
import type { SentList } from '#features/prices/sent-list.ts'

export type PriceListWrite =
  | { type: ClientType; list: SentList }
  /** `previousList`: the list as it stood when the form was opened, in the same shape. */
  | { overlaidRow: OverlaidRow<PriceRow>; previousList: SentList; changes: Partial<SentList> & { confirmed?: true } }

export const savePriceList = createFormThunk(
  'priceListForm/save',
  (write: PriceListWrite, { extra: { api }, getState }) => {
    const { intent } = selectSaving(getState())
    const options = intent === null ? {} : { intent }
    if ('list' in write) return api.call(createPriceList, { body: { type: write.type, ...write.list } }, options)
    const { overlaidRow, previousList, changes } = write
    const base = {
      rowVersion: getBaseVersion(overlaidRow),
      values: { ...previousList, type: overlaidRow.row.type, confirmed: overlaidRow.row.confirmed },
    }
    return api.call(updatePriceList, { body: { id: overlaidRow.row.id, ...changes } as never }, { base, ...options })
  },
)

const savingSlice = createSlice({
  name: 'priceListForm',
  initialState: unsentForm,
  reducers: { formOpened: () => unsentForm },
  extraReducers: (builder) => addFormCases(builder, savePriceList).addCase(signedOut, () => unsentForm),
})

const injectedSlice = savingSlice.injectInto(rootReducer)
/** Of the whole state, whose type no feature knows. */
export const selectSaving = (state: object): FormStatus => injectedSlice.selectSlice(state)
export const { formOpened } = savingSlice.actions
