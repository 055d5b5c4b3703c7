/** Stores files that wait to be sent (protocol 22). Pictures `~{intent}` are shown from here until they have a server id. */
import type { Intent } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { readSession } from '#local/session/session.ts'
import type { OutboxEntry, LocalFile } from '#local/storage/records.ts'

/** Must run inside the transaction that ends `entry`. Deletes bytes that are no longer sent or rendered. */
export async function cleanUpFiles(db: UserDatabase, entry: OutboxEntry, assetId: string | null): Promise<void> {
  const file = entry.table === '' ? await db.files.get(entry.intent) : undefined
  if (file && assetId !== null) await db.files.put({ ...file, assetId })
  for (const intent of file ? [entry.intent, ...entry.dependsOn] : entry.dependsOn) await deleteUnusedFile(db, intent)
}

async function deleteUnusedFile(db: UserDatabase, intent: Intent): Promise<void> {
  const isNeeded = (await db.outbox.where('dependsOn').equals(intent).count()) > 0
  if (!isNeeded && !(await db.outbox.get(intent))) await db.files.delete(intent)
}

export type LocalFileView = Pick<LocalFile, 'name' | 'type' | 'bytes' | 'assetId'>

/** Returns the local file of `~{intent}`, or null if it is not stored. For a live query. */
export async function readLocalFile(intent: Intent, device: Device = getThisDevice()): Promise<LocalFileView | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  return (await device.getDatabase(session).files.get(intent)) ?? null
}
