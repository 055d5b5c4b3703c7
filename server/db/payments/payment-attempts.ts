/**
 * Rows of payment attempts. The state of an attempt is changed only while its payable item is locked, so that changes run one after the
 * other.
 */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import type { PayableItemRef, PayableRef } from '#server/db/payments/payables.ts'
import { concernsAny, isAbout, listItems } from '#server/db/payments/payment-groups.ts'
import type { PaymentAttemptTable } from '#server/db/tables/order-tables.ts'

export type AttemptRecord = Selectable<PaymentAttemptTable>

export const unsettledStates = ['starting', 'open', 'processing'] as const

const selectAttempts = (db: DatabaseHandle) => db.selectFrom('payment_attempt').selectAll()

export const insertPaymentAttempt = (db: DatabaseHandle, attempt: Insertable<PaymentAttemptTable>) =>
  db.insertInto('payment_attempt').values(attempt).returningAll().executeTakeFirstOrThrow()

export const getAttempt = (db: DatabaseHandle, id: number) =>
  selectAttempts(db).where('id', '=', id).executeTakeFirstOrThrow()

export const findAttemptByKey = (db: DatabaseHandle, key: string) => findRow(selectAttempts(db).where('key', '=', key))

export const findAttemptByIntent = (
  db: DatabaseHandle,
  { payable, userId, intent }: { payable: PayableRef; userId: number; intent: string },
) => findRow(selectAttempts(db).where(isAbout(payable)).where('user_id', '=', userId).where('intent', '=', intent))

/** Returns attempts whose result is open and that pay any item of the payable, newest first. */
export async function listUnsettledAttempts(db: DatabaseHandle, payable: PayableRef): Promise<AttemptRecord[]> {
  const isMatching = concernsAny(await listItems(db, payable))
  return await selectAttempts(db)
    .where(isMatching)
    .where('state', 'in', unsettledStates)
    .orderBy('id', 'desc')
    .execute()
}

/** For an item, also finds the attempt of a group that contains it. For a group, only its own. */
export async function findLatestAttempt(db: DatabaseHandle, payable: PayableRef): Promise<AttemptRecord | null> {
  const isMatching = payable.kind === 'group' ? isAbout(payable) : concernsAny([payable])
  return await findRow(selectAttempts(db).where(isMatching).orderBy('id', 'desc').limit(1))
}

export const updateAttempt = (db: DatabaseHandle, id: number, fields: Updateable<PaymentAttemptTable>) =>
  db.updateTable('payment_attempt').set(fields).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/**
 * Schedules a check of the open attempts that pay any item of the payable for now, because it was deleted or paid in another way. Returns
 * false if there is no such attempt. Works in any role.
 */
export async function scheduleImmediateCheck(db: DatabaseHandle, payable: PayableRef, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payment_attempt')
    .set({ next_look: now })
    .where(concernsAny(await listItems(db, payable)))
    .where('state', 'in', unsettledStates)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Frees the credit that open attempts hold which pay any of the items, because they are paid in another way. `exceptAttempt` keeps its part. */
export async function releaseCredit(
  db: DatabaseHandle,
  items: readonly PayableItemRef[],
  exceptAttempt: number | null = null,
): Promise<void> {
  await db
    .updateTable('payment_attempt')
    .set({ credit: '0.00' })
    .where(concernsAny(items))
    .where('state', 'in', unsettledStates)
    .where('credit', '>', '0.00')
    .where('id', 'is distinct from', exceptAttempt)
    .execute()
}

/** Frees the credit that an attempt holds, unless the attempt is settled. */
export async function releaseHeldCredit(db: DatabaseHandle, id: number): Promise<void> {
  await db
    .updateTable('payment_attempt')
    .set({ credit: '0.00' })
    .where('id', '=', id)
    .where('state', 'in', unsettledStates)
    .where('credit', '>', '0.00')
    .execute()
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
