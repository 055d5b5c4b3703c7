import { type PayloadAction, createSlice } from '@reduxjs/toolkit'

/** offline: the device has no network. unreachable: it has, and the server does not answer (P-11). */
export type Line = 'online' | 'offline' | 'unreachable'

export interface Connection {
  line: Line
  /** Writes being sent right now; 0: none. */
  syncing: number
}

export const connection = createSlice({
  name: 'connection',
  initialState: { line: 'online', syncing: 0 } as Connection,
  reducers: {
    lineChanged: (state, { payload }: PayloadAction<Line>) => ({ ...state, line: payload }),
    syncingChanged: (state, { payload }: PayloadAction<number>) => ({ ...state, syncing: payload }),
  },
})

export const { lineChanged, syncingChanged } = connection.actions
