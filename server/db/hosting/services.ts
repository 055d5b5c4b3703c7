/** Hosted services as rows: listed with what their contracts say of them, and numbered by one counter over all companies. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { listServices } from '#contract/services.ts'
import type { Handle } from '#server/db/handle.ts'
import { type ListQuery, type Page, readPage } from '#server/db/list-query.ts'
import type { ServiceRowView, ServiceTable } from '#server/db/tables/hosting-tables.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

export type ServiceRecord = Selectable<ServiceTable>
export type ServiceRow = Selectable<ServiceRowView>

export interface ServiceAddress {
  url: string | null
  admin_url: string | null
}

/** Of any company's service: the code is public, as is the address behind it. */
export async function addressOfService(db: Handle, code: string): Promise<ServiceAddress | null> {
  const row = await db.selectFrom('service').select(['url', 'admin_url']).where('code', '=', code).executeTakeFirst()
  return row ?? null
}

export async function insertService(db: Handle, service: Insertable<ServiceTable>): Promise<number> {
  return (await db.insertInto('service').values(service).returning('id').executeTakeFirstOrThrow()).id
}

/** Of one company, or of all: for the provider's staff alone, behind whose fence the others get no row. */
export type Whose = number | 'all'

const rowsOf = (db: Handle, whose: Whose) =>
  whose === 'all'
    ? db.selectFrom(sql<ServiceRowView>`all_service_rows()`.as('service_row')).selectAll()
    : db.selectFrom('service_row').selectAll().where('company_id', '=', whose)

const columns = {
  id: sql.ref('service_row.id'),
  company_id: sql.ref('service_row.company_id'),
  code: { value: sql.ref('service_row.code'), folded: sql.ref('service_row.code') },
  name: { value: sql.ref('service_row.shown_name'), folded: sql.ref('service_row.name_key') },
  company_code: { value: sql.ref('service_row.company_code'), folded: sql.ref('service_row.company_code') },
  company_name: { value: sql.ref('service_row.company_name'), folded: sql.ref('service_row.company_name_key') },
  create_time: sql`(service_row.create_time / 1000)`,
  // The day before has the same order.
  expired_date: sql.ref('service_row.period_end'),
  system_status: sql.ref('service_row.system_status'),
}

export function pageOfServices(db: Handle, whose: Whose, query: ListQuery): Promise<Page<ServiceRow>> {
  const { list } = listServices
  if (!list) throw new Error('the list of services fills no table')
  // The function's rows bear the view's name and columns.
  const rows = rowsOf(db, whose) as ReturnType<typeof viewed>
  return readPage(rows, { list, columns, id: columns.id }, query)
}
const viewed = (db: Handle) => db.selectFrom('service_row').selectAll()

export const serviceChange = async (db: Handle): Promise<number> =>
  (await sql<{ change: number }>`select service_change_now() as change`.execute(db)).rows[0]?.change ?? 0

/** Rows whose number is above `since`; null: all. Throws GONE for a number of no known past. */
export async function servicesSince(db: Handle, whose: Whose, since: number | null) {
  const upto = await serviceChange(db)
  if (since !== null && since > upto) throw new ProblemError('GONE')
  const changed = await rowsOf(db, whose)
    .where('change', '>', since ?? -1)
    .orderBy('change')
    .orderBy('id')
    .execute()
  // A row that is no longer shown is one without contract, system and data: nobody has it who has not seen it before.
  return { changed, gone: [], upto }
}

export const servicesAfter = (db: Handle, whose: Whose, { id, most }: { id: number; most: number }) =>
  rowsOf(db, whose).where('id', '>', id).orderBy('id').limit(most).execute()

export const serviceRowById = async (db: Handle, whose: Whose, id: number): Promise<ServiceRow | null> =>
  (await rowsOf(db, whose).where('id', '=', id).executeTakeFirst()) ?? null

export const serviceRowOfCode = async (db: Handle, companyId: number, code: string): Promise<ServiceRow | null> =>
  (await rowsOf(db, companyId).where('code', '=', code).executeTakeFirst()) ?? null

/** Of the contract in force, or the one that was the last. */
export async function serviceOfContract(db: Handle, companyId: number, contractId: number): Promise<number | null> {
  const row = await db
    .selectFrom('service_row')
    .select('id')
    .where('company_id', '=', companyId)
    .where('contract_id', '=', contractId)
    .executeTakeFirst()
  return row?.id ?? null
}

/** Locks it until the commit. */
export async function serviceForUpdate(db: Handle, id: number): Promise<ServiceRecord | null> {
  return (await db.selectFrom('service').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()) ?? null
}

/** Takes the next number: its counter stays locked until the commit, so write services last. */
export const takeServiceChange = async (db: Handle): Promise<number> => {
  const { rows } = await sql<{ change: number }>`select next_service_change() as change`.execute(db)
  const [row] = rows
  if (!row) throw new Error('services have no counter')
  return row.change
}

/** Writes the fields with the next number and version. */
export async function updateService(
  db: Handle,
  id: number,
  fields: Omit<Updateable<ServiceTable>, 'change' | 'row_version' | 'update_time'>,
  now: number,
): Promise<void> {
  const change = await takeServiceChange(db)
  await db
    .updateTable('service')
    .set({ ...fields, change, update_time: now, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .execute()
}

/** Something that its row in the list says has changed elsewhere: its contract or its orders. */
export async function touchService(db: Handle, companyId: number, code: string): Promise<void> {
  const change = await takeServiceChange(db)
  await ofCompany(db, companyId).set({ change }).where('code', '=', code).execute()
}

/** The company's name has changed. */
export async function touchServices(db: Handle, companyId: number): Promise<void> {
  const change = await takeServiceChange(db)
  await ofCompany(db, companyId).set({ change }).execute()
}
const ofCompany = (db: Handle, companyId: number) => db.updateTable('service').where('company_id', '=', companyId)

/** What the health check goes by. */
export type LookedAfter = Pick<
  ServiceRecord,
  | 'id'
  | 'company_id'
  | 'code'
  | 'system_status'
  | 'online'
  | 'running_memory'
  | 'running_tasks'
  | 'needs_reboot'
  | 'fault'
  | 'operation'
  | 'fence'
  | 'row_version'
>

/** All of them. As the system. */
export const lookedAfter = (db: Handle): Promise<LookedAfter[]> =>
  db
    .selectFrom('service')
    .select([
      'id',
      'company_id',
      'code',
      'system_status',
      'online',
      'running_memory',
      'running_tasks',
      'needs_reboot',
      'fault',
      'operation',
      'fence',
      'row_version',
    ])
    .orderBy('id')
    .execute()

export type TendedRow = Pick<
  ServiceRow,
  | 'id'
  | 'company_id'
  | 'code'
  | 'system_status'
  | 'fault'
  | 'operation'
  | 'fence'
  | 'row_version'
  | 'awaits_set_up'
  | 'is_expired'
  | 'erase_date'
  | 'told_stop'
  | 'told_erase'
  | 'contract'
  | 'contract_time'
  | 'period_start'
  | 'period_end'
>

/** Those to which time may do something, by id. As the system. */
export const servicesToTend = (db: Handle): Promise<TendedRow[]> =>
  db.selectFrom('service_row').selectAll().where('operation', 'is', null).orderBy('id').execute()

/** With the order by which its page is opened; whosever it is. As the system. */
export async function serviceNow(db: Handle, id: number): Promise<(ServiceRow & { order_id: number | null }) | null> {
  const row = await db
    .selectFrom('service_row')
    .leftJoin('service_order', (join) =>
      join
        .onRef('service_order.company_id', '=', 'service_row.company_id')
        .onRef('service_order.code', '=', 'service_row.code')
        .on('service_order.shown', '=', true),
    )
    .selectAll('service_row')
    .select('service_order.id as order_id')
    .where('service_row.id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** Whose address is none that anybody could open. As the system. */
export const servicesOfDemo = (db: Handle, ending: string): Promise<ServiceRow[]> =>
  db
    .selectFrom('service_row')
    .selectAll()
    .where('operation', 'is', null)
    .where((where) => where(sql`right(url, ${ending.length})`, '=', ending))
    .orderBy('id')
    .execute()

/** The order that is the row of a service in the list of contracts (D35); null: there is none. */
export async function shownOrderOf(
  db: Handle,
  { companyId, code }: { companyId: number; code: string },
): Promise<number | null> {
  const row = await db
    .selectFrom('service_order')
    .select('id')
    .where('company_id', '=', companyId)
    .where('code', '=', code)
    .where('shown', '=', true)
    .executeTakeFirst()
  return row?.id ?? null
}
