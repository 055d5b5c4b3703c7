/** Stores the outcome of a write and its audit entry in one statement. A statement before it takes the entry's id. */
import { CompiledQuery } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import {
  type WriteClaim,
  requireId,
  type WriteOutcome,
  outcomeColumns,
  toOutcomeValues,
} from '#server/db/idempotency-store.ts'
import { buildEntryStatement, type EntryHeader } from '#server/db/audit/audit-trail.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'

/** Returns the id of the idempotency row. The entry must be for the log of the caller's company. */
export async function settleWithAuditEntry(
  db: DatabaseHandle,
  claim: WriteClaim,
  outcome: WriteOutcome,
  header: EntryHeader,
  entry: AuditEntry,
): Promise<number> {
  const outcomeValues = toOutcomeValues(claim, outcome)
  const placeholders = outcomeValues.map((_, index) => `$${index + 1}`).join(', ')
  const { text, values } = await buildEntryStatement(db, header, entry, outcomeValues.length + 1, null)
  const statement = `
    with settled as (insert into idempotency (${outcomeColumns}) values (${placeholders}) returning id), ${text}
    select settled.id from settled, pended`
  return requireId(
    (await db.executeQuery<{ id: number }>(CompiledQuery.raw(statement, [...outcomeValues, ...values]))).rows,
  )
}
