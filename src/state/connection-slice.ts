import { type PayloadAction, createSlice } from '@reduxjs/toolkit'

/** offline: the device has no network. unreachable: it has, and the server does not answer (P-11). */
export type NetworkState = 'online' | 'offline' | 'unreachable'

/** How many writes are on their way is no state of the screen's: it is read from the device, where they stand. */
export interface ConnectionState {
  networkState: NetworkState
  /** The session has run out and nobody could be asked: what is here can be read, and nothing is taken (W-06). */
  isSessionExpired: boolean
  /** Looked for while there is no connection: this device has no room for a change. */
  isDeviceFull: boolean
  /** Whether this browser's database answers: without it nothing is shown, saved or sent. */
  databaseState: 'ready' | 'silent' | 'lost'
}

export const connection = createSlice({
  name: 'connection',
  initialState: {
    networkState: 'online',
    isSessionExpired: false,
    isDeviceFull: false,
    databaseState: 'ready',
  } as ConnectionState,
  // Set and not spread: what is told again with every answer is the same state then, and no page is drawn for it.
  reducers: {
    networkStateChanged: (state, { payload }: PayloadAction<NetworkState>) => void (state.networkState = payload),
    deviceFullChanged: (state, { payload }: PayloadAction<boolean>) => void (state.isDeviceFull = payload),
    databaseStateChanged: (state, { payload }: PayloadAction<ConnectionState['databaseState']>) =>
      void (state.databaseState = payload),
    sessionExpiredChanged: (state, { payload }: PayloadAction<boolean>) => void (state.isSessionExpired = payload),
  },
})

export const { networkStateChanged, deviceFullChanged, databaseStateChanged, sessionExpiredChanged } =
  connection.actions
