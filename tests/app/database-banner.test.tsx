/** What a page says of a database that does not answer. */
import { expect, it, vi } from 'vitest'
import { watchDatabase } from '#app/connection/database-watch.ts'
import { noteDatabaseLost } from '#local/storage/open-transactions.ts'
import { connection } from '#state/connection-slice.ts'
import type { Store } from '#state/store.ts'

it('fault 38e a page learns within a second that its database is lost, and that it is back', () => {
  vi.useFakeTimers()
  let state = connection.reducer(undefined, { type: 'start' })
  const store = {
    getState: () => ({ connection: state }),
    dispatch: (action: Parameters<typeof connection.reducer>[1]) => void (state = connection.reducer(state, action)),
  }
  const stop = watchDatabase(store as unknown as Store)
  try {
    vi.advanceTimersByTime(1_000)
    expect(state.database).toBe('ready')
    noteDatabaseLost(true)
    vi.advanceTimersByTime(1_000)
    expect(state.database).toBe('lost')
    noteDatabaseLost(false)
    vi.advanceTimersByTime(1_000)
    expect(state.database).toBe('ready')
  } finally {
    stop()
    noteDatabaseLost(false)
    vi.useRealTimers()
  }
})
