/** The audit trail in the store: the filter of the last visit. Its rows are the device's and the server's, and never come here. */
import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'

const trailSlice = createSlice({
  name: 'auditTrail',
  initialState: { savedQuery: '' },
  reducers: { viewChanged: (_, { payload }: PayloadAction<string>) => ({ savedQuery: payload }) },
  // The next user of this device begins with a plain list.
  extraReducers: (builder) => builder.addCase(signedOut, () => ({ savedQuery: '' })),
})
const injectedSlice = trailSlice.injectInto(rootReducer)

export const savedTrailQuery = {
  viewChanged: trailSlice.actions.viewChanged,
  selectSavedQuery: (state: object): string => injectedSlice.selectSlice(state).savedQuery,
}
