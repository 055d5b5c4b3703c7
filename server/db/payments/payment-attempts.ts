/**
 * Rows of payment attempts. The state of an attempt is changed only while its payable item is locked, so that changes run one after the
 * other.
 */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import { columnByKind, type PayableRef } from '#server/db/payments/payables.ts'
import type { PaymentAttemptTable } from '#server/db/tables/order-tables.ts'

export type AttemptRecord = Selectable<PaymentAttemptTable>

const unsettledStates = ['starting', 'open', 'processing'] as const

const selectAttempts = (db: DatabaseHandle) => db.selectFrom('payment_attempt').selectAll()
const selectPayableAttempts = (db: DatabaseHandle, { kind, id }: PayableRef) =>
  selectAttempts(db).where(columnByKind[kind], '=', id)

export const insertPaymentAttempt = (db: DatabaseHandle, attempt: Insertable<PaymentAttemptTable>) =>
  db.insertInto('payment_attempt').values(attempt).returningAll().executeTakeFirstOrThrow()

export const getAttempt = (db: DatabaseHandle, id: number) =>
  selectAttempts(db).where('id', '=', id).executeTakeFirstOrThrow()

export const findAttemptByKey = (db: DatabaseHandle, key: string) => findRow(selectAttempts(db).where('key', '=', key))

export const findAttemptByIntent = (
  db: DatabaseHandle,
  { payable, userId, intent }: { payable: PayableRef; userId: number; intent: string },
) => findRow(selectPayableAttempts(db, payable).where('user_id', '=', userId).where('intent', '=', intent))

/** Returns attempts whose result is open, newest first. */
export const listUnsettledAttempts = (db: DatabaseHandle, payable: PayableRef) =>
  selectPayableAttempts(db, payable).where('state', 'in', unsettledStates).orderBy('id', 'desc').execute()

export const findLatestAttempt = (db: DatabaseHandle, payable: PayableRef) =>
  findRow(selectPayableAttempts(db, payable).orderBy('id', 'desc').limit(1))

export const updateAttempt = (db: DatabaseHandle, id: number, fields: Updateable<PaymentAttemptTable>) =>
  db.updateTable('payment_attempt').set(fields).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/**
 * Schedules a check of the item's open attempts for now, because the item was deleted or paid in another way. Returns false if the item has
 * no open attempt. Works in any role.
 */
export async function scheduleImmediateCheck(
  db: DatabaseHandle,
  { kind, id }: PayableRef,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payment_attempt')
    .set({ next_look: now })
    .where(columnByKind[kind], '=', id)
    .where('state', 'in', unsettledStates)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Schedules a check of all open attempts for now, on request of the staff. Returns their number. */
export async function scheduleAllChecks(db: DatabaseHandle, now: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('payment_attempt')
    .set({ next_look: now })
    .where('state', 'in', unsettledStates)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

export const hasDueAttempt = (db: DatabaseHandle, now: number) =>
  hasRow(db.selectFrom('payment_attempt').select('id').where('next_look', '<=', now).limit(1))

const minuteMs = 60_000
/** Delay before the next check by the number of checks so far, in ms. The last value applies to all later checks. */
const checkDelaysMs = [
  5000,
  15_000,
  30_000,
  minuteMs,
  2 * minuteMs,
  5 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  60 * minuteMs,
]
/** SQL for the delay before the next check, in ms. The query must have the column `looks`. */
export const nextCheckDelay = sql<number>`(array[${sql.join(checkDelaysMs)}]::bigint[])[least(looks + 1, ${checkDelaysMs.length})]`

/** Claims due attempts, so that other nodes skip them. Also sets their next check, which takes place even if this process crashes. */
export async function claimDueAttempts(db: DatabaseHandle, now: number, limit: number): Promise<AttemptRecord[]> {
  const dueRows = await db
    .selectFrom('payment_attempt')
    .select('id')
    .where('next_look', '<=', now)
    .orderBy('next_look')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  if (dueRows.length === 0) return []
  return await db
    .updateTable('payment_attempt')
    .set({ looks: sql`least(looks + 1, 30000)`, next_look: sql`${now}::bigint + ${nextCheckDelay}` })
    .where(
      'id',
      'in',
      dueRows.map(({ id }) => id),
    )
    .returningAll()
    .execute()
}
