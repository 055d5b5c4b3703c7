/** Asks the browser for persistent storage, so that it does not delete the database when the disk is full. */
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { findUserDatabase, readSession } from '#local/session/session.ts'
import { getBrowserStorage, type StorageEstimates } from '#local/space/usage.ts'

/**
 * Asks the browser not to delete the site's data automatically, once per user of this device unless `isRepeated`. Some browsers then ask
 * the user. Only a window can do this. Called when the first write waits and when the app is installed (P-18).
 */
export async function requestPersistence(
  db: UserDatabase,
  { isRepeated = false, storage = getBrowserStorage() }: { isRepeated?: boolean; storage?: StorageEstimates } = {},
): Promise<boolean> {
  if (await storage.persisted?.()) return true
  const earlierRequest = await db.meta.get('persist')
  if (!storage.persist || (earlierRequest && !isRepeated)) return false
  await db.meta.put({ name: 'persist', requestedAt: Date.now() })
  return await storage.persist()
}

/** For the button on the device page; asks every time. Returns false if the browser gave no promise. */
export async function repeatPersistenceRequest(device: Device = getThisDevice()): Promise<boolean> {
  const db = await findUserDatabase(device)
  return db !== null && (await requestPersistence(db, { isRepeated: true }))
}

/** Asks again after the app was installed, because the user clearly wants to keep it. */
export async function requestPersistenceAtInstall(device: Device = getThisDevice()): Promise<boolean> {
  const session = await readSession(device)
  return session !== null && (await requestPersistence(device.getDatabase(session), { isRepeated: true }))
}
