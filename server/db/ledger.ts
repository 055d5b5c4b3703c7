/** The ledger of keyed writes (protocol 1-9): one row per request, settled in the transaction of its effect. */
import { type Selectable, sql } from 'kysely'
import type { LedgerTable } from '#server/db/tables.ts'
import { behind } from '#server/db/client.ts'
import type { Handle } from '#server/house.ts'

/** Whose write it is; 0 and 0 for calls without a session. */
export interface Owner {
  companyId: number
  userId: number
}

export interface Claim {
  owner: Owner
  key: string
  intent: string
  fingerprint: string
  method: string
  path: string
  now: number
}

export type LedgerRow = Selectable<LedgerTable>

/** The row that a write left: what its intent names. */
export interface Left {
  kind: string
  rowId: number
  rowVersion: number
}

/**
 * Puts the request's row in, unless its key stands there already or its intent is settled. Null: it is, see `findTold`.
 * A duplicate that is still at work is waited for as long as the scope's lock timeout (55P03 after that).
 */
export async function claimKey(db: Handle, claim: Claim): Promise<number | null> {
  const { owner, key, intent } = claim
  const { rows } = await sql<{ id: number }>`
    insert into ledger (company_id, user_id, key, intent, fingerprint, method, path, state, create_time)
    select ${owner.companyId}::integer, ${owner.userId}::integer, ${key}::text, ${intent}::text,
      ${claim.fingerprint}::text, ${claim.method}::text, ${claim.path}::text, 'open', ${claim.now}::bigint
    where not exists (
      select from ledger where company_id = ${owner.companyId} and user_id = ${owner.userId} and intent = ${intent}
        and state in ('done', 'void'))
    on conflict (company_id, user_id, key) do nothing
    returning id`.execute(db)
  return rows[0]?.id ?? null
}

const ofOwner = (db: Handle, { companyId, userId }: Owner) =>
  db.selectFrom('ledger').selectAll().where('company_id', '=', companyId).where('user_id', '=', userId)

/** The row with this very key, else the settled row of its intent. */
export async function findTold(db: Handle, owner: Owner, key: string, intent: string): Promise<LedgerRow | null> {
  const rows = await ofOwner(db, owner)
    .where((where) =>
      where.or([
        where('key', '=', key),
        where.and([where('intent', '=', intent), where('state', 'in', ['done', 'void'])]),
      ]),
    )
    .execute()
  return rows.find((row) => row.key === key) ?? rows[0] ?? null
}

/** The newest word on each intent: done or void where there is one, else the last try. */
export async function findIntents(
  db: Handle,
  owner: Owner,
  intents: readonly string[],
): Promise<Map<string, LedgerRow>> {
  if (intents.length === 0) return new Map()
  const rows = await ofOwner(db, owner).where('intent', 'in', intents).orderBy('id').execute()
  const settled = rows.filter(({ state }) => state === 'done' || state === 'void')
  return new Map([...rows, ...settled].map((row) => [row.intent, row]))
}

export interface Outcome {
  state: 'done' | 'refused'
  status: number
  headers: Record<string, string>
  body: string | null
  left: Left | null
}

/** Fails with 23505 on `ledger_intent` where the same intent took effect, or was voided, at the same time. */
export async function settle(db: Handle, id: number, { state, status, headers, body, left }: Outcome): Promise<void> {
  await db
    .updateTable('ledger')
    .set({
      state,
      status,
      headers: JSON.stringify(headers),
      body,
      row_kind: left?.kind ?? null,
      row_id: left?.rowId ?? null,
      row_version: left?.rowVersion ?? null,
    })
    .where('id', '=', id)
    .modifyEnd(behind)
    .execute()
}

/** Puts in the row that keeps an intent from ever taking effect. False: it is settled already. */
export async function voidIntentRow(db: Handle, owner: Owner, intent: string, now: number): Promise<boolean> {
  const voided = await db
    .insertInto('ledger')
    .values({
      company_id: owner.companyId,
      user_id: owner.userId,
      // No client's key holds a blank, so this one is never taken.
      key: `void ${intent}`,
      intent,
      fingerprint: '',
      method: 'DELETE',
      path: '',
      state: 'void',
      headers: '{}',
      create_time: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return voided !== undefined
}

/** After 35 days an answer's bytes go and the stub stays (protocol 19). */
export async function sweepBodies(db: Handle, before: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('ledger')
    .set({ body: null, headers: null })
    .where('create_time', '<', before)
    .where('headers', 'is not', null)
    .where('state', 'in', ['done', 'refused'])
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** After 400 days the stubs go too, but for creates: their rows are still there, and a late copy must not make a second. */
export async function sweepStubs(db: Handle, before: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('ledger')
    .where('create_time', '<', before)
    .where((where) =>
      where.or([where('state', '!=', 'done'), where('method', '!=', 'POST'), where('row_id', 'is', null)]),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
