/** Clears cached lists when the user asks for it, and trims those that nobody has opened for long. */
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, thisDevice } from '#local/storage/device.ts'
import { clear, evict, limits, readEvictable } from '#local/storage/eviction.ts'
import { readSession } from '#local/session/session.ts'

/** Forgets everything that can be fetched again, but for what its user asked to keep. False: nobody is signed in. */
export async function clearCache(device: Device = thisDevice()): Promise<boolean> {
  const session = await readSession(device)
  if (!session || session.signedOut) return false
  await clear(device.of(session))
  return true
}

/**
 * Takes away lists that are older than the limit, then the first to go until the rest fits. How many went. A prepared list is not
 * too old: its user wants it, and each row says how old it is.
 */
export async function trimCache(db: UserDatabase, { bytes, ageMs } = limits): Promise<number> {
  const lists = await readEvictable(db)
  // By the server's own clock: this device's may have been turned.
  const now = lists.reduce((latest, { newest }) => Math.max(latest, newest), 0)
  let left = lists.reduce((sum, list) => sum + list.bytes, 0)
  let gone = 0
  // The list that was read last stays, however large: it is on the screen.
  const onScreen = lists.find(({ newest }) => newest === now)
  for (const list of lists) {
    const isTooOld = !list.isPrepared && now - list.newest > ageMs
    if (list === onScreen || (!isTooOld && left <= bytes)) continue
    await evict(db, list)
    left -= list.bytes
    gone += 1
  }
  return gone
}
