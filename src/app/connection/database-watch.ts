import { readDatabaseState } from '#local/storage/open-transactions.ts'
import { databaseStateChanged } from '#state/connection-slice.ts'
import type { AppStore } from '#state/store.ts'

const checkIntervalMs = 1_000
/**
 * Gap between two checks, in ms. After a longer gap the page was asleep, so a pending transaction does not prove that the database is slow.
 */
const sleepThresholdMs = 3_000

/** Reports the state of the device's database to the store once a second. Returns an unsubscribe function. */
export function watchDatabase(store: AppStore): () => void {
  let checkedAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const isAwake = now - checkedAt < sleepThresholdMs
    checkedAt = now
    const state = readDatabaseState(now)
    const isKnown = state !== 'silent' || isAwake
    if (isKnown && store.getState().connection.databaseState !== state) store.dispatch(databaseStateChanged(state))
  }, checkIntervalMs)
  return () => clearInterval(timer)
}
