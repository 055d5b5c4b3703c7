/** The audit trail in the store: the filter that was left. Its rows are the device's and the server's, and never come here. */
import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import { signedOut } from '#state/session-slice.ts'
import { root } from '#state/store.ts'

const trail = createSlice({
  name: 'auditTrail',
  initialState: { savedQuery: '' },
  reducers: { viewChanged: (_, { payload }: PayloadAction<string>) => ({ savedQuery: payload }) },
  // The next user of this device begins with a plain list.
  extraReducers: (builder) => builder.addCase(signedOut, () => ({ savedQuery: '' })),
})
const own = trail.injectInto(root)

export const { viewChanged } = trail.actions
export const selectSavedQuery = (state: object): string => own.selectSlice(state).savedQuery
