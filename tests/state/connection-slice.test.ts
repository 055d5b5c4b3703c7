import { expect, test } from 'vitest'
import {
  type ConnectionState,
  connection,
  networkStateChanged,
  deviceFullChanged,
  sessionExpiredChanged,
} from '#state/connection-slice.ts'

const onlineState: ConnectionState = {
  networkState: 'online',
  isSessionExpired: false,
  isDeviceFull: false,
  databaseState: 'ready',
}
const reducer = connection.reducer

test('what every answer tells again is the same state: no page that watches the connection is drawn for it', () => {
  for (const action of [networkStateChanged('online'), deviceFullChanged(false), sessionExpiredChanged(false)])
    expect(reducer(onlineState, action)).toBe(onlineState)
})

test('each change is one of its own', () => {
  expect(reducer(onlineState, networkStateChanged('offline'))).toEqual({ ...onlineState, networkState: 'offline' })
  expect(reducer(onlineState, deviceFullChanged(true))).toEqual({ ...onlineState, isDeviceFull: true })
  expect(reducer(onlineState, sessionExpiredChanged(true))).toEqual({ ...onlineState, isSessionExpired: true })
})
