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
  /** Whether this browser's database answers: without it nothing is shown, saved or sent. */
  database: 'ready' | 'silent' | 'lost'
}

export const connection = createSlice({
  name: 'connection',
  initialState: { line: 'online', lapsed: false, full: false, database: 'ready' } as Connection,
  // Set and not spread: what is told again with every answer is the same state then, and no page is drawn for it.
  reducers: {
    lineChanged: (state, { payload }: PayloadAction<Connectivity>) => void (state.line = payload),
    fullChanged: (state, { payload }: PayloadAction<boolean>) => void (state.full = payload),
    databaseChanged: (state, { payload }: PayloadAction<Connection['database']>) => void (state.database = payload),
    lapsedChanged: (state, { payload }: PayloadAction<boolean>) => void (state.lapsed = payload),
  },
})

export const { lineChanged: connectivityChanged, fullChanged, databaseChanged, lapsedChanged } = connection.actions
