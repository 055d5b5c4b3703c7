import { expect, test } from 'vitest'
import {
  type Connection,
  connection,
  connectivityChanged,
  fullChanged,
  lapsedChanged,
} from '#state/connection-slice.ts'

const online: Connection = { line: 'online', lapsed: false, full: false, database: 'ready' }
const after = connection.reducer

test('what every answer tells again is the same state: no page that watches the connection is drawn for it', () => {
  for (const again of [connectivityChanged('online'), fullChanged(false), lapsedChanged(false)])
    expect(after(online, again)).toBe(online)
})

test('each change is one of its own', () => {
  expect(after(online, connectivityChanged('offline'))).toEqual({ ...online, line: 'offline' })
  expect(after(online, fullChanged(true))).toEqual({ ...online, full: true })
  expect(after(online, lapsedChanged(true))).toEqual({ ...online, lapsed: true })
})
