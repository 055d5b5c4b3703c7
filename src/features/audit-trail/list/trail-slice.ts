/** State of the audit trail: the filter of the last visit. Rows never enter the store. */
import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'

const trailSlice = createSlice({
  name: 'auditTrail',
  initialState: { savedQuery: '' },
  reducers: { viewChanged: (_, { payload }: PayloadAction<string>) => ({ savedQuery: payload }) },
  // The next user of this device starts without a filter.
  extraReducers: (builder) => builder.addCase(signedOut, () => ({ savedQuery: '' })),
})
const injectedSlice = trailSlice.injectInto(rootReducer)

export const savedTrailQuery = {
  viewChanged: trailSlice.actions.viewChanged,
  selectSavedQuery: (state: object): string => injectedSlice.selectSlice(state).savedQuery,
}
