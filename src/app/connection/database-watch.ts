/** Whether this browser's database answers, looked at each second while the page is awake. */
import { readDatabaseState } from '#local/storage/open-transactions.ts'
import { databaseChanged } from '#state/connection-slice.ts'
import type { Store } from '#state/store.ts'

const lookMs = 1_000
/** A page that slept has not waited. */
const sleptMs = 3_000

/** Returns an unsubscribe function. */
export function watchDatabase(store: Store): () => void {
  let lookedAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const isAwake = now - lookedAt < sleptMs
    lookedAt = now
    const state = readDatabaseState(now)
    const isKnown = state !== 'silent' || isAwake
    if (isKnown && store.getState().connection.database !== state) store.dispatch(databaseChanged(state))
  }, lookMs)
  return () => clearInterval(timer)
}
