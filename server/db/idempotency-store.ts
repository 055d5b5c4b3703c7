/** The idempotency store of keyed writes (protocol 1-9): one row per request, settled in the transaction of its effect. */
import { CompiledQuery, type Selectable, sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { getSqlState } from '#server/db/sql-state.ts'
import type { IdempotencyTable } from '#server/db/tables/tables.ts'

/** Whose write it is; 0 and 0 for calls without a session. */
export interface WriteOwner {
  companyId: number
  userId: number
}

/** What a transaction takes for itself (`Scope.claim`). */
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

/** The row that a write left: what its intent names. */
export interface ResultRow {
  kind: string
  rowId: number
  rowVersion: number
}

/**
 * The key stands in the idempotency store already, or the intent is settled: said by the scope's claim, or by the idempotency store's indexes
 * where somebody was quicker without one.
 */
export const isDuplicateError = (error: unknown) =>
  getSqlState(error) === '23505' &&
  ['idempotency_intent', 'idempotency_key'].includes((error as { constraint?: string }).constraint ?? '')

/** A duplicate is still at work after the scope's lock timeout (protocol 5). */
export const isInProgressError = (error: unknown) =>
  getSqlState(error) === '55P03' && /(claim|take)_intent/.test((error as { where?: string }).where ?? '')

const selectOwnerRows = (db: DatabaseHandle, { companyId, userId }: WriteOwner) =>
  db.selectFrom('idempotency').selectAll().where('company_id', '=', companyId).where('user_id', '=', userId)

// Written out, for what is a parameter matches no partial index.
const isSettledCondition = sql<boolean>`state in ('done', 'void')`
const isUnsettledCondition = sql<boolean>`state not in ('done', 'void')`

/** The row with this very key, else the settled row of its intent. */
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

/** The newest word on each intent: done or void where there is one, else the last try. */
export async function findIntentRows(
  db: DatabaseHandle,
  owner: WriteOwner,
  intents: readonly string[],
): Promise<Map<string, IdempotencyRow>> {
  if (intents.length === 0) return new Map()
  // In two parts, each by an index of its own.
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

/** The columns of a settled row, in the order of `toOutcomeValues`. */
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

/**
 * How the write ended. Answers the row's id. Fails with a duplicate (`isDuplicateError`) where the same intent took effect, or was voided, at the
 * same time.
 */
export async function settleClaim(db: DatabaseHandle, claim: WriteClaim, outcome: WriteOutcome): Promise<number> {
  const { rows } = await db.executeQuery<{ id: number }>(
    CompiledQuery.raw(settleStatement, toOutcomeValues(claim, outcome)),
  )
  return requireId(rows)
}

export function requireId([row]: readonly { id: number }[]): number {
  if (!row) throw new Error('the idempotency store or the audit trail took no row')
  return row.id
}

/**
 * Puts in the row that keeps an intent from ever taking effect. False: it is settled already. Waits for a copy that is at
 * work just now (55P03 where that takes too long): one of the two is settled, the other sees it.
 */
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
  return insertedRow !== undefined
}

/** After 35 days an answer's bytes go and the stub stays (protocol 19). */
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

/** After 400 days the stubs go too, but for creates: their rows are still there, and a late copy must not make a second. */
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
