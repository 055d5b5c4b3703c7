/** Accepts writes whose goal was already reached by other means (protocol 14). */
import type { UserDatabase } from '#local/storage/database.ts'
import { rebaseFollowers } from '#local/outbox/dependents.ts'
import { acceptWrite, type AcceptedWrite } from '#local/outbox/settle-entry.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

/**
 * Accepts a write that the server refused because its goal is already reached. It had no effect on the server, so the row version that it
 * would have created never exists there. Entries based on that version are rebased on the current row, or on this write's own base.
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
