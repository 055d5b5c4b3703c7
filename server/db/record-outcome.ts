/** The usual end of a write in one statement behind that which draws the entry's id: how it ended into the idempotency store, what was done into the trail. */
import { CompiledQuery } from 'kysely'
import type { Handle } from '#server/db/handle.ts'
import { type Claim, idOf, type Outcome, settledColumns, settledValues } from '#server/db/idempotency.ts'
import { entryStatement, type TrailEntry } from '#server/db/audit/audit-trail.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'

/** Answers the idempotency store row's id. Fails as `settle` does. The entry is one of the writer's own company. */
export async function settleWithTrail(
  db: Handle,
  claim: Claim,
  outcome: Outcome,
  entry: TrailEntry,
  note: AuditEntry,
): Promise<number> {
  const settled = settledValues(claim, outcome)
  const places = settled.map((_, index) => `$${index + 1}`).join(', ')
  const { text, values } = await entryStatement(db, entry, note, settled.length + 1, null)
  const whole = `
    with settled as (insert into idempotency (${settledColumns}) values (${places}) returning id), ${text}
    select settled.id from settled, pended`
  return idOf((await db.executeQuery<{ id: number }>(CompiledQuery.raw(whole, [...settled, ...values]))).rows)
}
