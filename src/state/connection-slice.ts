import { type PayloadAction, createSlice } from '@reduxjs/toolkit'

/** offline: the device has no network. unreachable: it has, and the server does not answer (P-11). */
export type Connectivity = 'online' | 'offline' | 'unreachable'

/** How many writes are on their way is no state of the screen's: it is read from the device, where they stand. */
export interface Connection {
  line: Connectivity
  /** The session has run out and nobody could be asked: what is here can be read, and nothing is taken (W-06). */
  lapsed: boolean
  /** Looked for while there is no connection: this device has no room for a change. */
  full: boolean
}

/** What is told again with every answer changes nothing: the pages that watch the connection are not drawn for it. */
const changed = (before: Connection, change: Partial<Connection>): Connection => {
  const isSame = Object.entries(change).every(([name, value]) => before[name as keyof Connection] === value)
  return isSame ? before : { ...before, ...change }
}

export const connection = createSlice({
  name: 'connection',
  initialState: { line: 'online', lapsed: false, full: false } as Connection,
  reducers: {
    lineChanged: (state, { payload }: PayloadAction<Connectivity>) => changed(state, { line: payload }),
    fullChanged: (state, { payload }: PayloadAction<boolean>) => changed(state, { full: payload }),
    lapsedChanged: (state, { payload }: PayloadAction<boolean>) => changed(state, { lapsed: payload }),
  },
})

export const { lineChanged: connectivityChanged, fullChanged, lapsedChanged } = connection.actions
