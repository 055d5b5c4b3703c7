import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { clearCachedTables, evictList, evictionLimits, readEvictable } from '#local/storage/eviction.ts'
import { findUserDatabase } from '#local/session/session.ts'

/**
 * Deletes everything that can be fetched again, except data that the user chose to keep and rows with waiting writes. Returns false if no
 * user is signed in.
 */
export async function clearCache(device: Device = getThisDevice()): Promise<boolean> {
  const db = await findUserDatabase(device)
  if (db) await clearCachedTables(db)
  return db !== null
}

/**
 * Deletes lists that are too old, and further lists in eviction order until the remaining ones fit. Returns the number of deleted lists. A
 * prepared list is never too old: its user wants it, and each row shows its age.
 */
export async function trimCache(db: UserDatabase, { bytes, ageMs } = evictionLimits): Promise<number> {
  const lists = await readEvictable(db)
  // Uses the server's clock, because the clock of this device may be wrong.
  const now = lists.reduce((latest, { latestAsOf }) => Math.max(latest, latestAsOf), 0)
  let remainingBytes = lists.reduce((sum, list) => sum + list.bytes, 0)
  let evictedCount = 0
  // The list that was read last is never deleted, because it is on the screen.
  const newestList = lists.find(({ latestAsOf }) => latestAsOf === now)
  for (const list of lists) {
    const isTooOld = !list.isPrepared && now - list.latestAsOf > ageMs
    if (list === newestList || (!isTooOld && remainingBytes <= bytes)) continue
    await evictList(db, list)
    remainingBytes -= list.bytes
    evictedCount += 1
  }
  return evictedCount
}
