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

/** Takes away lists that are older than the limit, then the oldest until the rest fits. How many went. */
export async function trimCache(db: UserDatabase, { bytes, ageMs } = limits): Promise<number> {
  const holdings = await readEvictable(db)
  const byAge = holdings.sort((a, b) => a.newest - b.newest)
  // By the server's own clock: this device's may have been turned.
  const now = byAge.at(-1)?.newest ?? 0
  let left = byAge.reduce((sum, holding) => sum + holding.bytes, 0)
  let gone = 0
  // The list that was read last stays, however large: it is on the screen.
  for (const holding of byAge.slice(0, -1)) {
    if (now - holding.newest <= ageMs && left <= bytes) continue
    await evict(db, holding)
    left -= holding.bytes
    gone += 1
  }
  return gone
}
