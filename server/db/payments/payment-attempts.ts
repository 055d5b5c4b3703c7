/** What was begun at a gateway, as rows. Whoever changes one holds the row of what is paid, so that all of them take turns. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Handle } from '#server/db/handle.ts'
import { columnOf, type PayableRef } from '#server/db/payments/payables.ts'
import type { PaymentAttemptTable } from '#server/db/tables/order-tables.ts'

export type AttemptRecord = Selectable<PaymentAttemptTable>

/** Of which the gateway has not said its last word. */
const unsettled = ['begun', 'open', 'processing'] as const

const all = (db: Handle) => db.selectFrom('payment_attempt').selectAll()
const allOf = (db: Handle, { kind, id }: PayableRef) => all(db).where(columnOf[kind], '=', id)

export const insertPaymentAttempt = (db: Handle, attempt: Insertable<PaymentAttemptTable>): Promise<AttemptRecord> =>
  db.insertInto('payment_attempt').values(attempt).returningAll().executeTakeFirstOrThrow()

export const attemptById = (db: Handle, id: number): Promise<AttemptRecord> =>
  all(db).where('id', '=', id).executeTakeFirstOrThrow()

export const attemptByKey = async (db: Handle, key: string): Promise<AttemptRecord | null> =>
  (await all(db).where('key', '=', key).executeTakeFirst()) ?? null

/** What the same call has begun before. */
export const attemptByIntent = async (
  db: Handle,
  { of, userId, intent }: { of: PayableRef; userId: number; intent: string },
): Promise<AttemptRecord | null> =>
  (await allOf(db, of).where('user_id', '=', userId).where('intent', '=', intent).executeTakeFirst()) ?? null

/** Newest first. */
export const unsettledAttempts = (db: Handle, of: PayableRef): Promise<AttemptRecord[]> =>
  allOf(db, of).where('state', 'in', unsettled).orderBy('id', 'desc').execute()

export const newestAttempt = async (db: Handle, of: PayableRef): Promise<AttemptRecord | null> =>
  (await allOf(db, of).orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null

export const updateAttempt = (
  db: Handle,
  id: number,
  fields: Updateable<PaymentAttemptTable>,
): Promise<AttemptRecord> =>
  db.updateTable('payment_attempt').set(fields).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** The gateway is asked about them at once: what they pay is gone, or was paid in another way. Any role may. */
export async function lookAtOnce(db: Handle, { kind, id }: PayableRef, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payment_attempt')
    .set({ next_look: now })
    .where(columnOf[kind], '=', id)
    .where('state', 'in', unsettled)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Of all orders, as the staff may ask. Returns how many there are. */
export async function lookAtAll(db: Handle, now: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('payment_attempt')
    .set({ next_look: now })
    .where('state', 'in', unsettled)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

export async function isAnyDue(db: Handle, now: number): Promise<boolean> {
  const due = await db
    .selectFrom('payment_attempt')
    .select('id')
    .where('next_look', '<=', now)
    .limit(1)
    .executeTakeFirst()
  return due !== undefined
}

const minute = 60_000
/** Until it is asked again, by how often it was asked, ms; the last one for all that follow. */
const waits = [5000, 15_000, 30_000, minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute, 60 * minute]
/** Of a row with `looks`. */
export const waitAfter = sql<number>`(array[${sql.join(waits)}]::bigint[])[least(looks + 1, ${waits.length})]`

/** Takes those that are due; another node steps over them, and they are due again later whatever becomes of this one. */
export async function takeDue(db: Handle, now: number, most: number): Promise<AttemptRecord[]> {
  const due = await db
    .selectFrom('payment_attempt')
    .select('id')
    .where('next_look', '<=', now)
    .orderBy('next_look')
    .limit(most)
    .forUpdate()
    .skipLocked()
    .execute()
  if (due.length === 0) return []
  return await db
    .updateTable('payment_attempt')
    .set({ looks: sql`least(looks + 1, 30000)`, next_look: sql`${now}::bigint + ${waitAfter}` })
    .where(
      'id',
      'in',
      due.map(({ id }) => id),
    )
    .returningAll()
    .execute()
}
