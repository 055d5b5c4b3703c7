/** The usual end of a write in one statement: how it ended into the ledger, what was done into the trail. */
import { CompiledQuery } from 'kysely'
import type { Outcome } from '#server/db/ledger.ts'
import type { TrailEntry } from '#server/db/trail.ts'
import type { Handle, TrailNote } from '#server/house.ts'

// Of one text, so that it is prepared once per connection and never built again; behind, as `settle` and `addToTrail` are.
const text = `
  with settled as (
    update ledger set state = $2, status = $3, headers = $4, body = $5, row_kind = $6, row_id = $7, row_version = $8
    where id = $1)
  insert into trail (id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info, intent, request_id)
  values (0, $9, $10, $11, $12::integer, coalesce((select name from portal_user where id = $12::integer), ''), $13, $14, $15,
    $16, $17) /* behind */`

/** Fails as `settle` does. */
export async function settleWithTrail(
  db: Handle,
  id: number,
  { state, status, headers, body, left }: Outcome,
  entry: TrailEntry,
  note: TrailNote,
): Promise<void> {
  const ledger = [id, state, status, JSON.stringify(headers), body, left?.kind, left?.rowId, left?.rowVersion]
  const { companyId, userId, now, status: went, intent, requestId } = entry
  const trail = [companyId, note.code, note.operation, userId, now, went, JSON.stringify(note.info), intent, requestId]
  await db.executeQuery(
    CompiledQuery.raw(
      text,
      [...ledger, ...trail].map((value) => value ?? null),
    ),
  )
}
