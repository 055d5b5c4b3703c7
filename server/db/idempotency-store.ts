/** Idempotency store (protocol 1-9): one row per request with a key, stored in the transaction of its effect. */
import { CompiledQuery, type Selectable, sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { getSqlState } from '#server/db/sql-state.ts'
import type { IdempotencyTable } from '#server/db/tables/tables.ts'

/** Owner of a write. Both ids are 0 for a call without a session. */
export interface WriteOwner {
  companyId: number
  userId: number
}

export interface IntentKey {
  owner: WriteOwner
  key: string
  intent: string
}

export interface WriteClaim extends IntentKey {
  fingerprint: string
  method: string
  path: string
  now: number
}

export type IdempotencyRow = Selectable<IdempotencyTable>

/** The row that a write created or changed, and that its intent refers to. */
export interface ResultRow {
  kind: string
  rowId: number
  rowVersion: number
}

/** Returns whether the key is stored or the intent settled. The claim or the store's indexes throw this error. */
export const isDuplicateError = (error: unknown) =>
  getSqlState(error) === '23505' &&
  ['idempotency_intent', 'idempotency_key'].includes((error as { constraint?: string }).constraint ?? '')

/** Returns whether a duplicate is still running after the scope's lock timeout (protocol 5). */
export const isInProgressError = (error: unknown) =>
  getSqlState(error) === '55P03' && /(claim|take)_intent/.test((error as { where?: string }).where ?? '')

const selectOwnerRows = (db: DatabaseHandle, { companyId, userId }: WriteOwner) =>
  db.selectFrom('idempotency').selectAll().where('company_id', '=', companyId).where('user_id', '=', userId)

// Written as literals, because a parameter does not match a partial index.
const isSettledCondition = sql<boolean>`state in ('done', 'void')`
const isUnsettledCondition = sql<boolean>`state not in ('done', 'void')`

/** Returns the row with this key, otherwise the settled row of its intent. */
export async function findStoredOutcome(
  db: DatabaseHandle,
  owner: WriteOwner,
  key: string,
  intent: string,
): Promise<IdempotencyRow | null> {
  const rows = await selectOwnerRows(db, owner)
    .where((where) => where.or([where('key', '=', key), where.and([where('intent', '=', intent), isSettledCondition])]))
    .execute()
  return rows.find((row) => row.key === key) ?? rows[0] ?? null
}

const isSettled = (state: string) => state === 'done' || state === 'void'

/** Returns one row per intent: the done or void row if there is one, otherwise the latest attempt. */
export async function findIntentRows(
  db: DatabaseHandle,
  owner: WriteOwner,
  intents: readonly string[],
): Promise<Map<string, IdempotencyRow>> {
  if (intents.length === 0) return new Map()
  // Two queries, because each uses its own index.
  const selectIntents = (condition: typeof isSettledCondition) =>
    selectOwnerRows(db, owner).where('intent', 'in', intents).where(condition)
  const rows = await selectIntents(isUnsettledCondition).unionAll(selectIntents(isSettledCondition)).execute()
  const unsettledRows = rows.filter(({ state }) => !isSettled(state)).toSorted((a, b) => a.id - b.id)
  const settledRows = rows.filter(({ state }) => isSettled(state))
  return new Map([...unsettledRows, ...settledRows].map((row) => [row.intent, row]))
}

export interface WriteOutcome {
  state: 'done' | 'refused'
  status: number
  headers: Record<string, string>
  body: string | null
  resultRow: ResultRow | null
}

export const outcomeColumns = `company_id, user_id, key, intent, fingerprint, method, path, create_time, state, status,
  headers, body, row_kind, row_id, row_version`

export function toOutcomeValues(
  claim: WriteClaim,
  { state, status, headers, body, resultRow }: WriteOutcome,
): unknown[] {
  const { owner, key, intent, fingerprint, method, path, now } = claim
  const claimValues = [owner.companyId, owner.userId, key, intent, fingerprint, method, path, now]
  const resultValues = [resultRow?.kind ?? null, resultRow?.rowId ?? null, resultRow?.rowVersion ?? null]
  return [...claimValues, state, status, JSON.stringify(headers), body, ...resultValues]
}

const settleStatement = `insert into idempotency (${outcomeColumns})
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) returning id`

/** Returns the row's id. Throws a duplicate error if the same intent was settled at the same time. */
export async function settleClaim(db: DatabaseHandle, claim: WriteClaim, outcome: WriteOutcome): Promise<number> {
  const { rows } = await db.executeQuery<{ id: number }>(
    CompiledQuery.raw(settleStatement, toOutcomeValues(claim, outcome)),
  )
  return requireId(rows)
}

export function requireId([row]: readonly { id: number }[]): number {
  if (!row) throw new Error('a row of the idempotency store or the audit trail was not inserted')
  return row.id
}

/** Prevents the intent from ever taking effect. Returns false if it is settled. Waits for a copy (55P03 on timeout). */
export async function insertVoidIntent(
  db: DatabaseHandle,
  owner: WriteOwner,
  intent: string,
  now: number,
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(intent_lock(${owner.companyId}, ${owner.userId}, ${intent}))`.execute(db)
  const insertedRow = await db
    .insertInto('idempotency')
    .values({
      company_id: owner.companyId,
      user_id: owner.userId,
      // Never collides: the key of a client cannot contain a blank.
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
  return insertedRow !== undefined
}

/** Deletes response bytes after 35 days and keeps the rest of the row (protocol 19). */
export async function deleteOldBodies(db: DatabaseHandle, createdBefore: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('idempotency')
    .set({ body: null, headers: null })
    .where('create_time', '<', createdBefore)
    .where('headers', 'is not', null)
    .where('state', 'in', ['done', 'refused'])
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Deletes rows after 400 days, except creates: a late copy of the request must not create a second row. */
export async function deleteOldStubs(db: DatabaseHandle, createdBefore: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotency')
    .where('create_time', '<', createdBefore)
    .where((where) =>
      where.or([where('state', '!=', 'done'), where('method', '!=', 'POST'), where('row_id', 'is', null)]),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
