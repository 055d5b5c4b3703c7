/** Which users are chosen on the list: it goes on over pages and orders, and ends with the filter it was made under. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { RowRef } from '#contract/endpoint.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'

export interface RowSelection {
  ids: readonly RowRef[]
  /** Where a stretch begins that is chosen with Shift. */
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

/** What lies between two rows of a page, both included; the second alone where the first is not on it. */
export function selectRange(pageIds: readonly RowRef[], startId: RowRef | null, endId: RowRef): readonly RowRef[] {
  const [startIndex, endIndex] = [startId === null ? -1 : pageIds.indexOf(startId), pageIds.indexOf(endId)]
  if (startIndex < 0 || endIndex < 0) return [endId]
  const rangeIds = pageIds.slice(Math.min(startIndex, endIndex), Math.max(startIndex, endIndex) + 1)
  // What was asked for comes last: the next stretch begins there.
  return [...rangeIds.filter((id) => id !== endId), endId]
}
