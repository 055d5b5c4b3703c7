import { type PayloadAction, createSlice } from '@reduxjs/toolkit'

/** `offline`: the device has no network. `unreachable`: it has one, but the server does not respond (P-11). */
export type NetworkState = 'online' | 'offline' | 'unreachable'

/** State of the connection and of the device. It does not contain the number of waiting writes, which is read from the device. */
export interface ConnectionState {
  networkState: NetworkState
  /** True if the session has expired on a shared device. Cached data can be read, but nothing can be written (W-06). */
  isSessionExpired: boolean
  /** True if this device has no space for a change. Checked while there is no connection. */
  isDeviceFull: boolean
  /** Whether this browser's database responds. Without it nothing can be shown, saved or sent. */
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
  // Assigns the value in place: if it has not changed, the state stays identical and no component renders again.
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
