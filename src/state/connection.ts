import { type PayloadAction, createSlice } from '@reduxjs/toolkit'

/** offline: the device has no network. unreachable: it has, and the server does not answer (P-11). */
export type Line = 'online' | 'offline' | 'unreachable'

/** How many writes are on their way is no state of the screen's: it is read from the device, where they stand. */
export interface Connection {
  line: Line
}

export const connection = createSlice({
  name: 'connection',
  initialState: { line: 'online' } as Connection,
  reducers: {
    lineChanged: (_, { payload }: PayloadAction<Line>): Connection => ({ line: payload }),
  },
})

export const { lineChanged } = connection.actions
