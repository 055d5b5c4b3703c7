/** Clears cached lists when the user asks for it, and trims those that nobody has opened for long. */
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { clearCachedTables, evictList, evictionLimits, readEvictable } from '#local/storage/eviction.ts'
import { findUserDatabase } from '#local/session/session.ts'

/** Forgets everything that can be fetched again, but for what its user asked to keep. False: nobody is signed in. */
export async function clearCache(device: Device = getThisDevice()): Promise<boolean> {
  const db = await findUserDatabase(device)
  if (db) await clearCachedTables(db)
  return db !== null
}

/**
 * Takes away lists that are older than the limit, then the first to go until the rest fits. How many went. A prepared list is not
 * too old: its user wants it, and each row says how old it is.
 */
export async function trimCache(db: UserDatabase, { bytes, ageMs } = evictionLimits): Promise<number> {
  const lists = await readEvictable(db)
  // By the server's own clock: this device's may have been turned.
  const now = lists.reduce((latest, { latestAsOf }) => Math.max(latest, latestAsOf), 0)
  let remainingBytes = lists.reduce((sum, list) => sum + list.bytes, 0)
  let evictedCount = 0
  // The list that was read last stays, however large: it is on the screen.
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
