/** The usual end of a write in one statement: how it ended into the idempotency store, what was done into the trail. */
import { CompiledQuery } from 'kysely'
import type { Handle } from '#server/db/handle.ts'
import { type Claim, idOf, type Outcome, settledColumns, settledValues } from '#server/db/idempotency.ts'
import type { TrailEntry } from '#server/db/audit/audit-trail.ts'
import type { AuditEntry } from '#server/context.ts'

const text = `
  with settled as (
    insert into idempotency (${settledColumns})
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) returning id),
  noted as (
    insert into trail (id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info, intent, request_id)
    values (0, $16, $17, $18, $19::integer, coalesce((select name from portal_user where id = $19::integer), ''), $20, $21,
      $22, $23, $24))
  select id from settled`

/** Answers the idempotency store row's id. Fails as `settle` does. */
export async function settleWithTrail(
  db: Handle,
  claim: Claim,
  outcome: Outcome,
  entry: TrailEntry,
  note: AuditEntry,
): Promise<number> {
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
  return idOf((await db.executeQuery<{ id: number }>(CompiledQuery.raw(text, values))).rows)
}
