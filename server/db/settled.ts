/** The usual end of a write in one statement: how it ended into the ledger, what was done into the trail. */
import { CompiledQuery } from 'kysely'
import { behind } from '#server/db/client.ts'
import { type Claim, type Outcome, type Settled, settledColumns, settledValues } from '#server/db/ledger.ts'
import type { TrailEntry } from '#server/db/trail.ts'
import type { Handle, TrailNote } from '#server/house.ts'

// Of one text, so that it is prepared once per connection and never built again; behind, as `settle` and `addToTrail` are.
const text = `
  with settled as (
    insert into ledger (${settledColumns})
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) returning id),
  noted as (
    insert into trail (id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info, intent, request_id)
    values (0, $16, $17, $18, $19::integer, coalesce((select name from portal_user where id = $19::integer), ''), $20, $21,
      $22, $23, $24))
  select id from settled ${behind}`

/** Fails as `settle` does. */
export async function settleWithTrail(
  db: Handle,
  claim: Claim,
  outcome: Outcome,
  entry: TrailEntry,
  note: TrailNote,
): Promise<Settled> {
  const { companyId, userId, now, status, intent, requestId } = entry
  const trail = [
    companyId,
    note.code,
    note.operation,
    userId,
    now,
    status,
    JSON.stringify(note.info),
    intent,
    requestId,
  ]
  const values = [...settledValues(claim, outcome), ...trail]
  return (await db.executeQuery<{ id: number }>(CompiledQuery.raw(text, values))).rows
}
