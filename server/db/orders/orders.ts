/**
 * Service orders as rows. What time does to one is never waited for: each reading and each filter works it out of what is
 * stored and of the moment that is handed in (D30, D31).
 */
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import { listOrders } from '#contract/orders.ts'
import type { UnpaidMatter } from '#domain/dues.ts'
import { foldText } from '#domain/text.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'
import { changeSince } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { touchService } from '#server/db/hosting/services.ts'
import { type ListQuery, type Page, readPage } from '#server/db/list-query.ts'
import { hasLapsedBackup, paymentAt, unpaidMatters } from '#server/db/orders/unpaid-matters.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import type { OrderTable, OrderType } from '#server/db/tables/order-tables.ts'

export interface Pending {
  id: number
  type: OrderType
  amount: string
  due: Timestamp
}

export type OrderRecord = Omit<Selectable<OrderTable>, 'change' | 'steps'> & {
  /** The contract's number. */
  contract: string | null
  /** From when it runs; its order may only be about a later part. */
  contract_start: PlainDate | null
  service: { url: string | null; admin_url: string | null; system_status: number; online: 0 | 1 } | null
  /** A change or an extension that waits to be paid (D35). */
  pending: Pending | null
  /** All that is to be paid for the service. */
  unpaid_matters: UnpaidMatter[]
}

/** The change or extension that waits to be paid beside an order: there is at most one (D32, D35). */
const waitsBeside = (now: Timestamp) => sql`from service_order p
  where p.company_id = service_order.company_id and p.code = service_order.code and p.id <> service_order.id
    and p.type <> 'create' and p.stored = 'unpaid' and not p.deleted and p.due >= ${now}`

const pendingAt = ({ now }: Moment): RawBuilder<Pending | null> => sql`
  (select json_build_object('id', p.id, 'type', p.type, 'amount', p.amount::text, 'due', p.due) ${waitsBeside(now)})`

const contractStart = sql<PlainDate | null>`
  (select c.period_start from contract c where c.id = service_order.contract_id)`

const ofCompany = (db: Handle, companyId: number, moment: Moment) =>
  db
    .selectFrom('service_order')
    .selectAll()
    .select([
      sql<string | null>`(select c.code from contract c where c.id = service_order.contract_id)`.as('contract'),
      contractStart.as('contract_start'),
      sql<OrderRecord['service']>`
        (select json_build_object('url', s.url, 'admin_url', s.admin_url, 'system_status', s.system_status,
          'online', s.online) from service s
        where s.company_id = service_order.company_id and s.code = service_order.code)`.as('service'),
      pendingAt(moment).as('pending'),
      unpaidMatters(moment).as('unpaid_matters'),
    ])
    .where('company_id', '=', companyId)

/** Reading B (D27); tests compare it with `statusNumber`. */
const statusAt = ({ now, today }: Moment): RawBuilder<number> => sql`
  (case service_order.stored
    when 'unpaid' then case when service_order.due < ${now} then -1 else 0 end
    when 'paid' then case when service_order.period_end <= ${today} then 2 else 1 end
    when 'overwritten' then 3 else -1 end)`

const columnsAt = (moment: Moment) => ({
  id: sql.ref('service_order.id'),
  code: { value: sql.ref('service_order.code'), folded: sql.ref('service_order.code') },
  name: { value: sql.ref('service_order.name'), folded: sql.ref('service_order.name_key') },
  users: sql.ref('service_order.users'),
  status: statusAt(moment),
  payment: paymentAt(moment),
  client_type: sql.ref('service_order.client_type'),
  period_start: sql`coalesce(${contractStart}, service_order.period_start)`,
  // The day before has the same order.
  expired_date: sql.ref('service_order.period_end'),
  create_time: sql`(service_order.create_time / 1000)`,
})

/** One row for each service (D35). */
const shown = (db: Handle, companyId: number, moment: Moment) =>
  ofCompany(db, companyId, moment).where('shown', '=', true)

export async function pageOfOrders(
  db: Handle,
  { companyId, moment }: { companyId: number; moment: Moment },
  query: ListQuery,
): Promise<Page<OrderRecord>> {
  const { list } = listOrders
  if (!list) throw new Error('the list of orders fills no table')
  const columns = columnsAt(moment)
  // Their numbers first: what is looked up beside a row would be looked up for each one that the page skips as well.
  const ids = db.selectFrom('service_order').select('id').where('company_id', '=', companyId).where('shown', '=', true)
  const { count, rows } = await readPage(ids, { list, columns, id: columns.id, noNulls: true }, query)
  if (rows.length === 0) return { count, rows: [] }
  const places = new Map(rows.map(({ id }, place) => [id, place]))
  const found = await shown(db, companyId, moment)
    .where('id', 'in', [...places.keys()])
    .execute()
  return { count, rows: found.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0)) }
}

/** Rows whose number is above `since`, and those that time has changed and no job has numbered yet; null: all. */
export async function ordersSince(db: Handle, companyId: number, moment: Moment, since: number | null) {
  const upto = await changeSince(db, companyId, since)
  const overdue = sql<boolean>`exists (select from service_order p where p.company_id = service_order.company_id
    and p.code = service_order.code and p.stored = 'unpaid' and not p.deleted and p.due < ${moment.now})`
  const expired = sql<boolean>`(stored = 'paid' and not told_expired and period_end <= ${moment.today})`
  const changed = await shown(db, companyId, moment)
    .where((where) => where.or([where('change', '>', since ?? -1), overdue, expired, hasLapsedBackup(moment)]))
    .orderBy('change')
    .orderBy('id')
    .execute()
  const gone =
    since === null
      ? []
      : await db
          .selectFrom('service_order')
          .select('id')
          .where('company_id', '=', companyId)
          .where('shown', '=', false)
          .where('change', '>', since)
          .orderBy('change')
          .execute()
  return { changed, gone: gone.map(({ id }) => id), upto }
}

export const ordersAfter = (
  db: Handle,
  { companyId, moment, id, most }: { companyId: number; moment: Moment; id: number; most: number },
): Promise<OrderRecord[]> => shown(db, companyId, moment).where('id', '>', id).orderBy('id').limit(most).execute()

const present = (db: Handle, companyId: number, moment: Moment, id: number) =>
  ofCompany(db, companyId, moment).where('id', '=', id).where('deleted', '=', false)

export async function orderById(
  db: Handle,
  companyId: number,
  moment: Moment,
  id: number,
): Promise<OrderRecord | null> {
  return (await present(db, companyId, moment, id).executeTakeFirst()) ?? null
}

/** Locks the row until the commit. */
export async function orderForUpdate(
  db: Handle,
  companyId: number,
  moment: Moment,
  id: number,
): Promise<OrderRecord | null> {
  return (await present(db, companyId, moment, id).forUpdate().executeTakeFirst()) ?? null
}

/** The unpaid order of a service: there is at most one (D32). */
export async function unpaidOf(
  db: Handle,
  companyId: number,
  moment: Moment,
  code: string,
): Promise<OrderRecord | null> {
  const row = await ofCompany(db, companyId, moment)
    .where('code', '=', code)
    .where('stored', '=', 'unpaid')
    .where('deleted', '=', false)
    .executeTakeFirst()
  return row ?? null
}

/** How many orders of the company wait to be paid. */
export async function countUnpaid(db: Handle, companyId: number, { now }: Moment): Promise<number> {
  const { count } = await db
    .selectFrom('service_order')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('company_id', '=', companyId)
    .where('stored', '=', 'unpaid')
    .where('deleted', '=', false)
    .where('due', '>=', now)
    .executeTakeFirstOrThrow()
  return count
}

export type NewOrder = Omit<Insertable<OrderTable>, 'name_key'>

export async function insertOrder(db: Handle, order: NewOrder): Promise<number> {
  const { id } = await db
    .insertInto('service_order')
    .values({ ...order, name_key: foldText(order.name) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export type OrderChange = Partial<
  Pick<Selectable<OrderTable>, 'stored' | 'invalid_why' | 'contract_id' | 'alert_date' | 'deleted'>
>
export interface Stamp {
  change: number
  time: number
}

/** Writes the fields with the next version. */
export async function updateOrder(db: Handle, id: number, fields: OrderChange, { change, time }: Stamp): Promise<void> {
  await db
    .updateTable('service_order')
    .set({ ...fields, change, update_time: time, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .execute()
}

/**
 * After anything of a service has changed: which of its orders is its row in the list, the one in force, else the newest
 * (D35), and that this row has changed, since what waits to be paid stands on it.
 */
export async function showNewest(db: Handle, companyId: number, code: string, { change }: Stamp): Promise<void> {
  const best = await db
    .selectFrom('service_order')
    .select(['id', 'shown'])
    .where('company_id', '=', companyId)
    .where('code', '=', code)
    .where('deleted', '=', false)
    // What was replaced does not come back where that which took its place is deleted.
    .where(sql<boolean>`invalid_why is distinct from 'replaced'`)
    .orderBy(sql`stored = 'paid'`, 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  await db
    .updateTable('service_order')
    .set({ shown: false, change })
    .where('company_id', '=', companyId)
    .where('code', '=', code)
    .where('shown', '=', true)
    .where('id', '!=', best?.id ?? 0)
    .execute()
  if (best) await db.updateTable('service_order').set({ shown: true, change }).where('id', '=', best.id).execute()
  // Last: the counter of services stays locked until the commit.
  await touchService(db, companyId, code)
}

/** Whether a company has bought, or was about to buy, by that list: a contract, or backups. */
export async function isPriceListNamed(db: Handle, companyId: number, priceId: number): Promise<boolean> {
  const isOwn = sql`company_id = ${companyId} and price_id = ${priceId}`
  const { rows } = await sql<{ is_named: boolean }>`select
    exists (select from service_order where ${isOwn} and not deleted)
    or exists (select from contract where ${isOwn})
    or exists (select from backup_order where ${isOwn})
    or exists (select from traffic where ${isOwn}) as is_named`.execute(db)
  return rows[0]?.is_named ?? false
}
