/**
 * Bytes that wait to be sent (protocol 22): the page that was given a file keeps it beside its write. Whoever shows
 * `~{intent}` of a picture draws it from here until the server's own name for it has arrived everywhere.
 */
import type { Intent } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { readSession } from '#local/session/session.ts'
import type { OutboxEntry, LocalFile } from '#local/storage/records.ts'

/** Inside the transaction that ends `entry`: bytes that nobody will send or draw any more go. */
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

/** What `~{intent}` is drawn from while the server does not have it; null: it is not here. For a live query. */
export async function readLocalFile(intent: Intent, device: Device = getThisDevice()): Promise<LocalFileView | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  return (await device.getDatabase(session).files.get(intent)) ?? null
}
