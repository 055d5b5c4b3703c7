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

test('The connection reducer returns the same state for a repeated value, so no page renders again', () => {
  for (const action of [networkStateChanged('online'), deviceFullChanged(false), sessionExpiredChanged(false)])
    expect(reducer(onlineState, action)).toBe(onlineState)
})

test('The connection reducer changes one field per action', () => {
  expect(reducer(onlineState, networkStateChanged('offline'))).toEqual({ ...onlineState, networkState: 'offline' })
  expect(reducer(onlineState, deviceFullChanged(true))).toEqual({ ...onlineState, isDeviceFull: true })
  expect(reducer(onlineState, sessionExpiredChanged(true))).toEqual({ ...onlineState, isSessionExpired: true })
})
