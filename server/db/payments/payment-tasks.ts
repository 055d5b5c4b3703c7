/** Rows of payment tasks: payments that could not be applied. Needs the system role. Only for the provider's admins. */
import { type Insertable, sql, type Updateable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { selectGroupCodes } from '#server/db/payments/payment-groups.ts'
import type { PaymentTaskTable } from '#server/db/tables/order-tables.ts'

const selectTasks = (db: DatabaseHandle) =>
  db
    .selectFrom('payment_task as t')
    .innerJoin('payment as p', 'p.id', 't.payment_id')
    .innerJoin('company as c', 'c.id', 't.company_id')
    .leftJoin('service_order as o', 'o.id', 'p.order_id')
    .leftJoin('backup_order as b', 'b.id', 'p.backup_order_id')
    .leftJoin('traffic as m', 'm.id', 'p.traffic_id')
    .leftJoin('portal_user as u', 'u.id', 't.user_id')
    .selectAll('t')
    .select([
      'p.order_id',
      'p.backup_order_id',
      'p.traffic_id',
      'p.group_id',
      'p.gateway',
      'p.reference',
      'p.amount',
      'p.currency',
      'p.paid_at',
      'p.outcome',
      'c.code as company_code',
      'c.name as company_name',
      'u.name as user_name',
      sql<string>`coalesce(${selectGroupCodes(sql.ref('p.group_id'))}, o.code, b.service_code, m.service_code)`.as(
        'code',
      ),
      sql<boolean>`coalesce(o.deleted, false) or exists (
        select from payment_group_item i join service_order d on d.id = i.order_id
        where i.group_id = p.group_id and d.deleted)`.as('is_deleted'),
    ])

/** A task with its payment. `code` is the service code, or the codes of a group's services. `user_name` is the user who refunded or applied it. */
export type PaymentTaskRecord = Awaited<ReturnType<ReturnType<typeof selectTasks>['executeTakeFirstOrThrow']>>

export async function insertPaymentTask(
  db: DatabaseHandle,
  task: Pick<Insertable<PaymentTaskTable>, 'company_id' | 'payment_id' | 'attempt_id' | 'create_time'>,
): Promise<number> {
  const { id } = await db
    .insertInto('payment_task')
    .values({ ...task, state: 'open', update_time: task.create_time })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Returns tasks that are not settled, oldest first. */
export const listUnfinishedTasks = (db: DatabaseHandle) =>
  selectTasks(db).where('t.end_time', 'is', null).orderBy('t.id').execute()

/** Returns settled tasks, most recently settled first. */
export const listSettledTasks = (db: DatabaseHandle, limit: number) =>
  selectTasks(db)
    .where('t.end_time', 'is not', null)
    .orderBy('t.end_time', 'desc')
    .orderBy('t.id', 'desc')
    .limit(limit)
    .execute()

export const findPaymentTask = (db: DatabaseHandle, id: number) => findRow(selectTasks(db).where('t.id', '=', id))

/** Locks the task until the commit, so that actions on it run one after the other. */
export async function lockPaymentTask(db: DatabaseHandle, id: number): Promise<PaymentTaskRecord | null> {
  await db.selectFrom('payment_task').select('id').where('id', '=', id).forUpdate().execute()
  return await findPaymentTask(db, id)
}

export async function updatePaymentTask(db: DatabaseHandle, id: number, fields: Updateable<PaymentTaskTable>) {
  await db.updateTable('payment_task').set(fields).where('id', '=', id).execute()
}

export const findTaskOfPayment = async (db: DatabaseHandle, paymentId: number): Promise<number | null> =>
  (await findRow(db.selectFrom('payment_task').select('id').where('payment_id', '=', paymentId)))?.id ?? null
