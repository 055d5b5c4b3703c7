import { type Device, getThisDevice } from '#local/storage/device.ts'
import { isAnythingCached } from '#local/storage/eviction.ts'
import { transactUnlessFull } from '#local/storage/transaction.ts'
import { findUserDatabase } from '#local/session/session.ts'

/** Size of the test write in bytes, as large as a long write with its previous values. */
const probeBytes = 8_192

/**
 * Returns false if the disk is full and there is no cached data to evict. Tests with an actual write, because browsers round their
 * estimates.
 */
export async function hasFreeSpace(device: Device = getThisDevice()): Promise<boolean> {
  const db = await findUserDatabase(device)
  if (!db) return true
  const isStored = await transactUnlessFull(db, ['meta'], async () => {
    await db.meta.put({ name: 'probe', bytes: new Uint8Array(probeBytes) })
    await db.meta.delete('probe')
  })
  return isStored || (await isAnythingCached(db))
}
