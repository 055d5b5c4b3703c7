/** Stores the selected users. They stay selected across pages and sort orders, until the filter changes. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { RowRef } from '#contract/endpoint.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'

export interface RowSelection {
  ids: readonly RowRef[]
  /** First row of a range that is selected with Shift. */
  rangeStart: RowRef | null
}

const initialState: RowSelection = { ids: [], rangeStart: null }

export const rowSelectionSlice = createSlice({
  name: 'pickedUsers',
  initialState,
  reducers: {
    rowsSelected: (
      { ids },
      { payload }: PayloadAction<{ ids: readonly RowRef[]; isSelected: boolean }>,
    ): RowSelection => {
      const otherIds = ids.filter((id) => !payload.ids.includes(id))
      return {
        ids: payload.isSelected ? [...otherIds, ...payload.ids] : otherIds,
        rangeStart: payload.ids.at(-1) ?? null,
      }
    },
    selectionEnded: () => initialState,
  },
  extraReducers: (builder) => builder.addCase(signedOut, () => initialState),
})

const injectedSlice = rowSelectionSlice.injectInto(rootReducer)
export const selectRowSelection = (state: object): RowSelection => injectedSlice.selectSlice(state)
export const { rowsSelected, selectionEnded } = rowSelectionSlice.actions
