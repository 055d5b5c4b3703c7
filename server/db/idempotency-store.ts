/** Idempotency store (protocol 1-9): one row per stored write, added in the transaction of its effect. */
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

/**
 * Returns whether the error means that the key is already stored or the intent already settled. The claim or the store's indexes throw it.
 */
export const isDuplicateError = (error: unknown) =>
  getSqlState(error) === '23505' &&
  ['idempotency_intent', 'idempotency_key'].includes((error as { constraint?: string }).constraint ?? '')

/** Returns whether the error means that a duplicate was still running when the lock timeout ended (protocol 5). */
export const isInProgressError = (error: unknown) =>
  getSqlState(error) === '55P03' && /(claim|take)_intent/.test((error as { where?: string }).where ?? '')

const selectOwnerRows = (db: DatabaseHandle, { companyId, userId }: WriteOwner) =>
  db.selectFrom('idempotency').selectAll().where('company_id', '=', companyId).where('user_id', '=', userId)

// Written as literals, because PostgreSQL does not use a partial index for a condition with parameters.
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

/** Returns the row of each intent: the done or void row if there is one, otherwise the latest attempt. */
export async function findIntentRows(
  db: DatabaseHandle,
  owner: WriteOwner,
  intents: readonly string[],
): Promise<Map<string, IdempotencyRow>> {
  if (intents.length === 0) return new Map()
  // Two queries, because each condition has its own index.
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

/**
 * Stores the outcome of a write and returns the row's id. Throws a duplicate error if the key is already stored or the intent already
 * settled.
 */
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

/**
 * Makes sure that the intent never takes effect. Returns false if it is already settled. Waits for a running write with this intent, and
 * throws 55P03 if that takes too long.
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

/** Deletes the response bytes of old rows (35 days) and keeps the rest of each row (protocol 19). Returns the number of rows. */
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

/** Deletes old rows (400 days). Rows of creates are never deleted, because a late copy of the request must not create a second row. */
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
