/** Writes that find done what they were to do, and not by themselves (protocol 14). */
import type { UserDatabase } from '#local/storage/database.ts'
import { rebaseFollowers } from '#local/outbox/dependents.ts'
import { acceptWrite, type AcceptedWrite } from '#local/outbox/settle-entry.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

/**
 * Accepted, although the server refused it: what was wished is so. To the server it never took effect, so a version that
 * it left is never known there; whoever was based on it is based on the row as it is, or on what it was itself based on.
 */
export async function acceptNoOp(
  db: UserDatabase,
  entry: OutboxEntry,
  acceptedWrite: AcceptedWrite,
  newId: () => string,
): Promise<boolean> {
  const allTables = db.tables.map(({ name }) => name)
  return await transact(db, allTables, async () => {
    if (!(await acceptWrite(db, entry, acceptedWrite))) return false
    const ifMatch = acceptedWrite.row?.row_version ?? entry.ifMatch
    await rebaseFollowers(db, { ...entry, ifMatch, base: null }, newId)
    return true
  })
}
