/**
 * Bytes that wait to be sent (protocol 22): the page that was given a file keeps it beside its write. Whoever shows
 * `~{intent}` of a picture draws it from here until the server's own name for it has arrived everywhere.
 */
import type { Intent } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, thisDevice } from '#local/storage/device.ts'
import { readSession } from '#local/session/session.ts'
import type { OutboxEntry, LocalFile } from '#local/storage/records.ts'

/** Inside the transaction that ends `entry`: bytes that nobody will send or draw any more go. */
export async function tidyFiles(db: UserDatabase, entry: OutboxEntry, assetId: string | null): Promise<void> {
  const own = entry.table === '' ? await db.files.get(entry.intent) : undefined
  if (own && assetId !== null) await db.files.put({ ...own, assetId })
  for (const intent of own ? [entry.intent, ...entry.dependsOn] : entry.dependsOn) await forgetUnused(db, intent)
}

async function forgetUnused(db: UserDatabase, intent: Intent): Promise<void> {
  const isWanted = (await db.outbox.where('dependsOn').equals(intent).count()) > 0
  if (!isWanted && !(await db.outbox.get(intent))) await db.files.delete(intent)
}

export type FileHere = Pick<LocalFile, 'name' | 'type' | 'bytes' | 'assetId'>

/** What `~{intent}` is drawn from while the server does not have it; null: it is not here. For a live query. */
export async function readLocalFile(intent: Intent, device: Device = thisDevice()): Promise<FileHere | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  return (await device.of(session).files.get(intent)) ?? null
}
