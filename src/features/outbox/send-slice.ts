/** The outbox page in the store: whether everything is being sent now. The entries are the device's and never come here. */
import { createSlice, isAnyOf } from '@reduxjs/toolkit'
import type { OutboxActions } from '#request/call-results.ts'
import { createAppThunk } from '#state/app-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'

/** How each of them fares stands in its row. */
export const sendNow = createAppThunk('outbox/send', (actions: Pick<OutboxActions, 'sendNow'>) => actions.sendNow())

const outbox = createSlice({
  name: 'outbox',
  initialState: { isSending: false },
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(sendNow.pending, () => ({ isSending: true }))
      .addMatcher(isAnyOf(sendNow.fulfilled, sendNow.rejected, signedOut), () => ({ isSending: false })),
})

const injectedSlice = outbox.injectInto(rootReducer)
export const selectIsSending = (state: object) => injectedSlice.selectSlice(state).isSending
