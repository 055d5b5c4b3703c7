/**
 * Rows of orders. Each query computes from the given moment whether an order has expired, so expiry does not depend on a job (D30, D31).
 */
import { type Insertable, type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely'
import { listOrders } from '#contract/orders.ts'
import type { UnpaidRow } from '#domain/dues.ts'
import { normaliseText } from '#domain/text.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'
import { readChangeNumber, readRowChanges } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import { touchService } from '#server/db/hosting/services.ts'
import { type ListReads, readListPage } from '#server/db/list-query.ts'
import { hasExpiredBackup, selectPaymentState, selectUnpaidMatters } from '#server/db/orders/unpaid-matters.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import type { OrderTable, OrderType } from '#server/db/tables/order-tables.ts'

export interface PendingOrder {
  id: number
  type: OrderType
  amount: string
  due: Timestamp
}

export type OrderRecord = Omit<Selectable<OrderTable>, 'change' | 'steps'> & {
  contract: string | null
  /** Start of the contract. The order itself may only be for a later part of it. */
  contract_start: PlainDate | null
  /** Whether the difference of a smaller contract became credit. */
  is_credited: boolean
  service: { url: string | null; admin_url: string | null; system_status: number; online: 0 | 1 } | null
  /** Unpaid change or extension of the service (D35). Null if no such order can be paid. */
  pending: PendingOrder | null
  unpaid_matters: UnpaidRow[]
}

/** Selects the unpaid change or extension of the same service that can still be paid: there is at most one (D32, D35). */
const selectPendingOrder = (now: Timestamp) => sql`from service_order p
  where p.company_id = service_order.company_id and p.code = service_order.code and p.id <> service_order.id
    and p.type <> 'create' and p.stored = 'unpaid' and not p.deleted and p.due >= ${now}`

const selectPendingJson = ({ now }: Moment): RawBuilder<PendingOrder | null> => sql`
  (select json_build_object('id', p.id, 'type', p.type, 'amount', p.amount::text, 'due', p.due) ${selectPendingOrder(now)})`

const contractStartColumn = sql<PlainDate | null>`
  (select c.period_start from contract c where c.id = service_order.contract_id)`

/** Selects orders of all visible companies. */
export const selectOrders = (db: DatabaseHandle, moment: Moment) =>
  db
    .selectFrom('service_order')
    .selectAll('service_order')
    .select([
      sql<string | null>`(select c.code from contract c where c.id = service_order.contract_id)`.as('contract'),
      contractStartColumn.as('contract_start'),
      sql<boolean>`exists (select from credit_entry e where e.contract_id = service_order.contract_id and e.amount > 0)`.as(
        'is_credited',
      ),
      sql<OrderRecord['service']>`
        (select json_build_object('url', s.url, 'admin_url', s.admin_url, 'system_status', s.system_status,
          'online', s.online) from service s
        where s.company_id = service_order.company_id and s.code = service_order.code)`.as('service'),
      selectPendingJson(moment).as('pending'),
      selectUnpaidMatters(moment).as('unpaid_matters'),
    ])

const selectCompanyOrders = (db: DatabaseHandle, companyId: number, moment: Moment) =>
  selectOrders(db, moment).where('company_id', '=', companyId)

/**
 * Status number of an order in the list. The numbers follow reading B of the specification (D27). Tests compare it with `toStatusNumber`.
 */
const selectStatus = ({ now, today }: Moment): RawBuilder<number> => sql`
  (case service_order.stored
    when 'unpaid' then case when service_order.due < ${now} then -1 else 0 end
    when 'paid' then case when service_order.period_end <= ${today} then 2 else 1 end
    when 'overwritten' then 3 else -1 end)`

export const getOrderColumns = (moment: Moment) => ({
  id: sql.ref('service_order.id'),
  code: { value: sql.ref('service_order.code'), folded: sql.ref('service_order.code') },
  name: { value: sql.ref('service_order.name'), folded: sql.ref('service_order.name_key') },
  users: sql.ref('service_order.users'),
  status: selectStatus(moment),
  payment: selectPaymentState(moment),
  client_type: sql.ref('service_order.client_type'),
  period_start: sql`coalesce(${contractStartColumn}, service_order.period_start)`,
  // Sorting by the exclusive end gives the same order as sorting by the last day.
  expired_date: sql.ref('service_order.period_end'),
  period_end: sql.ref('service_order.period_end'),
  create_time: sql`(service_order.create_time / 1000)`,
})

/** Selects the orders that represent their services in the list: one for each service (D35). */
const selectListedOrders = (db: DatabaseHandle, companyId: number, moment: Moment) =>
  selectCompanyOrders(db, companyId, moment).where('is_listed', '=', true)

export interface OrderScope {
  companyId: number
  moment: Moment
}

export const orderReads: ListReads<OrderScope, OrderRecord> = {
  readLatestChange: (db, { companyId }) => readChangeNumber(db, companyId),
  async readPage(db, { companyId, moment }, query) {
    // Selects ids first. Otherwise the subqueries would also run for each row that the page skips.
    const listedIds = db
      .selectFrom('service_order')
      .select('id')
      .where('company_id', '=', companyId)
      .where('is_listed', '=', true)
    const columns = getOrderColumns(moment)
    const { count, rows } = await readListPage(listedIds, listOrders, columns, query, { hasNoNulls: true })
    if (rows.length === 0) return { count, rows: [] }
    const positions = new Map(rows.map(({ id }, position) => [id, position]))
    const orders = await selectListedOrders(db, companyId, moment)
      .where('id', 'in', [...positions.keys()])
      .execute()
    return { count, rows: orders.toSorted((a, b) => (positions.get(a.id) ?? 0) - (positions.get(b.id) ?? 0)) }
  },
  /** Also returns rows whose state has changed with time although no job has given them a change number yet. */
  async readChanges(db, { companyId, moment }, since) {
    const isOverdue = sql`exists (select from service_order p where p.company_id = service_order.company_id
      and p.code = service_order.code and p.stored = 'unpaid' and not p.deleted and p.due < ${moment.now})`
    const isExpired = sql`(stored = 'paid' and not notified_expired and period_end <= ${moment.today})`
    const isChanged = sql<SqlBool>`(change > ${since ?? -1} or ${isOverdue} or ${isExpired} or ${hasExpiredBackup(moment)})`
    const changes = await readRowChanges(db, companyId, selectListedOrders(db, companyId, moment), since, isChanged)
    if (since === null) return changes
    const deletedRows = await db
      .selectFrom('service_order')
      .select('id')
      .where('company_id', '=', companyId)
      .where('is_listed', '=', false)
      .where('change', '>', since)
      .orderBy('change')
      .execute()
    return { ...changes, gone: deletedRows.map(({ id }) => id) }
  },
  readRowsAfter: (db, { companyId, moment }, id, limit) =>
    selectListedOrders(db, companyId, moment).where('id', '>', id).orderBy('id').limit(limit).execute(),
}

const selectOrder = (db: DatabaseHandle, companyId: number, moment: Moment, id: number) =>
  selectCompanyOrders(db, companyId, moment).where('id', '=', id).where('deleted', '=', false)

export const findOrderById = (db: DatabaseHandle, companyId: number, moment: Moment, id: number) =>
  findRow(selectOrder(db, companyId, moment, id))

export const lockOrder = (db: DatabaseHandle, companyId: number, moment: Moment, id: number) =>
  findRow(selectOrder(db, companyId, moment, id).forUpdate())

/** Finds the unpaid order of a service: there is at most one (D32). */
export const findUnpaidOrder = (db: DatabaseHandle, companyId: number, moment: Moment, code: string) =>
  findRow(
    selectCompanyOrders(db, companyId, moment)
      .where(hasValues({ code, stored: 'unpaid' }))
      .where('deleted', '=', false),
  )

export async function countUnpaidOrders(db: DatabaseHandle, companyId: number, { now }: Moment): Promise<number> {
  const { count } = await db
    .selectFrom('service_order')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where(hasValues({ company_id: companyId, stored: 'unpaid' }))
    .where('deleted', '=', false)
    .where('due', '>=', now)
    .executeTakeFirstOrThrow()
  return count
}

export type NewOrder = Omit<Insertable<OrderTable>, 'name_key'>

export async function insertOrder(db: DatabaseHandle, order: NewOrder): Promise<number> {
  const { id } = await db
    .insertInto('service_order')
    .values({ ...order, name_key: normaliseText(order.name) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export type OrderChange = Partial<
  Pick<Selectable<OrderTable>, 'stored' | 'invalid_reason' | 'contract_id' | 'alert_date' | 'deleted'>
>
export interface ChangeStamp {
  change: number
  time: number
}

/** Writes the fields and the next version. */
export async function updateOrder(db: DatabaseHandle, id: number, fields: OrderChange, { change, time }: ChangeStamp) {
  await db
    .updateTable('service_order')
    .set({ ...fields, change, update_time: time, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .execute()
}

/**
 * Selects the order that represents the service in the list (D35), and gives the changed rows the change number. Call it after any change
 * of a service's orders.
 */
export async function updateListedOrder(db: DatabaseHandle, companyId: number, code: string, { change }: ChangeStamp) {
  const listedOrder = await db
    .selectFrom('service_order')
    .select(['id', 'is_listed'])
    .where(hasValues({ company_id: companyId, code }))
    .where('deleted', '=', false)
    // A replaced order is not listed again when its replacement is deleted.
    .where(sql<boolean>`invalid_reason is distinct from 'replaced'`)
    .orderBy(sql`stored = 'paid'`, 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  await db
    .updateTable('service_order')
    .set({ is_listed: false, change })
    .where(hasValues({ company_id: companyId, code }))
    .where('is_listed', '=', true)
    .where('id', '!=', listedOrder?.id ?? 0)
    .execute()
  if (listedOrder)
    await db.updateTable('service_order').set({ is_listed: true, change }).where('id', '=', listedOrder.id).execute()
  // Called last, because the counter of services stays locked until the commit.
  await touchService(db, companyId, code)
}

/** Returns whether the company has bought or ordered a contract, backups or traffic with that price list. */
export async function isPriceListUsed(db: DatabaseHandle, companyId: number, priceId: number): Promise<boolean> {
  const isOwn = sql`company_id = ${companyId} and price_id = ${priceId}`
  const { rows } = await sql<{ is_named: boolean }>`select
    exists (select from service_order where ${isOwn} and not deleted)
    or exists (select from contract where ${isOwn})
    or exists (select from backup_order where ${isOwn})
    or exists (select from traffic where ${isOwn}) as is_named`.execute(db)
  return rows[0]?.is_named ?? false
}
