/** Writes that find done what they were to do, and not by themselves (protocol 14). */
import type { UserDatabase } from '#local/storage/database.ts'
import { rebaseFollowers } from '#local/outbox/dependents.ts'
import { accept, type Accepted } from '#local/outbox/settle.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

/**
 * Accepted, although the server refused it: what was wished is so. To the server it never took effect, so a version that
 * it left is never known there; whoever was based on it is based on the row as it is, or on what it was itself based on.
 */
export async function acceptAsItIs(
  db: UserDatabase,
  entry: OutboxEntry,
  accepted: Accepted,
  newId: () => string,
): Promise<boolean> {
  const all = db.tables.map(({ name }) => name)
  return await transact(db, all, async () => {
    if (!(await accept(db, entry, accepted))) return false
    const ifMatch = accepted.row?.row_version ?? entry.ifMatch
    await rebaseFollowers(db, { ...entry, ifMatch, base: null }, newId)
    return true
  })
}
