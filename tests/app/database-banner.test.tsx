import { expect, it, vi } from 'vitest'
import { watchDatabase } from '#app/connection/database-watch.ts'
import { setDatabaseLost } from '#local/storage/open-transactions.ts'
import { connection } from '#state/connection-slice.ts'
import type { AppStore } from '#state/store.ts'

it('A page notices within a second that its database is lost, and that it is back (fault 38e)', () => {
  vi.useFakeTimers()
  let state = connection.reducer(undefined, { type: 'start' })
  const store = {
    getState: () => ({ connection: state }),
    dispatch: (action: Parameters<typeof connection.reducer>[1]) => void (state = connection.reducer(state, action)),
  }
  const stop = watchDatabase(store as unknown as AppStore)
  try {
    vi.advanceTimersByTime(1_000)
    expect(state.databaseState).toBe('ready')
    setDatabaseLost(true)
    vi.advanceTimersByTime(1_000)
    expect(state.databaseState).toBe('lost')
    setDatabaseLost(false)
    vi.advanceTimersByTime(1_000)
    expect(state.databaseState).toBe('ready')
  } finally {
    stop()
    setDatabaseLost(false)
    vi.useRealTimers()
  }
})
