/** Rows of hosted services, joined with data of their contracts. The services of all companies share one change counter. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { listServices } from '#contract/services.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import { type ListReads, readListPage } from '#server/db/list-query.ts'
import { restoredChangeFloor } from '#server/db/restored-numbers.ts'
import type { ServiceRowView, ServiceTable } from '#server/db/tables/hosting-tables.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

export type ServiceRecord = Selectable<ServiceTable>
export type ServiceListRow = Selectable<ServiceRowView>

/** Finds a service of any company, because the code and the address are public. */
export const findServiceAddress = (db: DatabaseHandle, code: string) =>
  findRow(db.selectFrom('service').select(['url', 'admin_url']).where('code', '=', code))

export async function insertService(db: DatabaseHandle, service: Insertable<ServiceTable>): Promise<number> {
  return (await db.insertInto('service').values(service).returning('id').executeTakeFirstOrThrow()).id
}

/** A company, or `all` companies for the provider's staff. Other callers get no rows with `all`. */
export type ServiceOwner = number | 'all'

const selectServiceRows = (db: DatabaseHandle, owner: ServiceOwner) =>
  owner === 'all'
    ? db.selectFrom(sql<ServiceRowView>`all_service_rows()`.as('service_row')).selectAll()
    : db.selectFrom('service_row').selectAll().where('company_id', '=', owner)

const serviceColumns = {
  id: sql.ref('service_row.id'),
  company_id: sql.ref('service_row.company_id'),
  code: { value: sql.ref('service_row.code'), folded: sql.ref('service_row.code') },
  name: { value: sql.ref('service_row.display_name'), folded: sql.ref('service_row.name_key') },
  company_code: { value: sql.ref('service_row.company_code'), folded: sql.ref('service_row.company_code') },
  company_name: { value: sql.ref('service_row.company_name'), folded: sql.ref('service_row.company_name_key') },
  create_time: sql`(service_row.create_time / 1000)`,
  // The last day, as in the row; the column has the exclusive end.
  expired_date: sql`to_char(to_date(service_row.period_end, 'YYYY-MM-DD') - 1, 'YYYY-MM-DD')`,
  needs_reboot: sql.ref('service_row.needs_reboot'),
  fault: sql.ref('service_row.fault'),
  system_status: sql.ref('service_row.system_status'),
  newer_apps: sql.ref('service_row.newer_apps'),
}

/** The publication of an app changes the rows of all services with the app, and writes none of them (decision 117). */
const latestChange = sql<number>`greatest(service_row.change, service_row.apps_change)`

const selectServiceView = (db: DatabaseHandle) => db.selectFrom('service_row').selectAll()

const readServiceCounter = async (db: DatabaseHandle): Promise<{ change: number; floor: number }> => {
  const { rows } = await sql<{ change: number; floor: number }>`
    select service_change_now() as change, ${restoredChangeFloor} as floor`.execute(db)
  return rows[0] ?? { change: 0, floor: 0 }
}

const readServiceChangeNumber = async (db: DatabaseHandle): Promise<number> => (await readServiceCounter(db)).change

export const serviceReads: ListReads<{ owner: ServiceOwner }, ServiceListRow> = {
  readLatestChange: readServiceChangeNumber,
  readPage(db, { owner }, query) {
    // The cast is safe, because the function returns rows with the columns of the view.
    const selection = selectServiceRows(db, owner) as ReturnType<typeof selectServiceView>
    return readListPage(selection, listServices, serviceColumns, query)
  },
  async readChanges(db, { owner }, since) {
    const { change: maxChange, floor } = await readServiceCounter(db)
    if (since !== null && (since < floor || since > maxChange)) throw new ProblemError('GONE')
    // Without this, each poll would compute the rows of all services.
    if (since === maxChange) return { changed: [], gone: [], upto: maxChange }
    const changed = await selectServiceRows(db, owner)
      .where(latestChange, '>', since ?? -1)
      .orderBy(latestChange)
      .orderBy('id')
      .execute()
    // No row is reported as deleted: a service that has had a contract stays in the list.
    return { changed, gone: [], upto: maxChange }
  },
  readRowsAfter: (db, { owner }, id, limit) =>
    selectServiceRows(db, owner).where('id', '>', id).orderBy('id').limit(limit).execute(),
}

export const findServiceRow = (db: DatabaseHandle, owner: ServiceOwner, id: number) =>
  findRow(selectServiceRows(db, owner).where('id', '=', id))

export const findServiceRowByCode = (db: DatabaseHandle, companyId: number, code: string) =>
  findRow(selectServiceRows(db, companyId).where('code', '=', code))

/** Finds the service of a contract that is not overwritten: the contract in force, or the last one. */
export async function findServiceOfContract(
  db: DatabaseHandle,
  companyId: number,
  contractId: number,
): Promise<number | null> {
  const row = await db
    .selectFrom('service_row')
    .select('id')
    .where(hasValues({ company_id: companyId, contract_id: contractId }))
    .executeTakeFirst()
  return row?.id ?? null
}

export const lockService = (db: DatabaseHandle, id: number) =>
  findRow(db.selectFrom('service').selectAll().where('id', '=', id).forUpdate())

/** Takes the next change number. The counter stays locked until the commit, so write services last. */
export const takeServiceChangeNumber = async (db: DatabaseHandle): Promise<number> => {
  const { rows } = await sql<{ change: number }>`select next_service_change() as change`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the change counter of services does not exist')
  return row.change
}

/** Writes the fields, the next change number and the next version. */
export async function updateService(
  db: DatabaseHandle,
  id: number,
  fields: Omit<Updateable<ServiceTable>, 'change' | 'row_version' | 'update_time'>,
  now: number,
): Promise<void> {
  const change = await takeServiceChangeNumber(db)
  await db
    .updateTable('service')
    .set({ ...fields, change, update_time: now, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .execute()
}

/** Gives the service a new change number. Call it after its contract or orders changed, because its row in the list shows them. */
export async function touchService(db: DatabaseHandle, companyId: number, code: string): Promise<void> {
  const change = await takeServiceChangeNumber(db)
  await updateCompanyServices(db, companyId).set({ change }).where('code', '=', code).execute()
}

/** Gives all services of the company a new change number after its name changed. */
export async function touchServices(db: DatabaseHandle, companyId: number): Promise<void> {
  const change = await takeServiceChangeNumber(db)
  await updateCompanyServices(db, companyId).set({ change }).execute()
}
const updateCompanyServices = (db: DatabaseHandle, companyId: number) =>
  db.updateTable('service').where('company_id', '=', companyId)

/** Returns the monitored columns of all services, sorted by id. Needs the system role. */
export const listMonitoredServices = (db: DatabaseHandle) =>
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
      'deployment_fault',
      'is_reported_down',
      'operation',
      'fence',
      'row_version',
    ])
    .orderBy('id')
    .execute()

export type MonitoredService = Awaited<ReturnType<typeof listMonitoredServices>>[number]

export type UpkeepServiceRow = Pick<
  ServiceListRow,
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
  | 'notified_stop'
  | 'notified_erase'
  | 'contract'
  | 'contract_time'
  | 'period_start'
  | 'period_end'
>

/** Returns services without a running operation, sorted by id. They may need scheduled work. Needs the system role. */
export const listServicesForUpkeep = (db: DatabaseHandle) =>
  db.selectFrom('service_row').selectAll().where('operation', 'is', null).orderBy('id').execute()

/** Finds a service of any company, with the id of the order that represents it in the list (D35). Needs the system role. */
export const findServiceWithOrder = (db: DatabaseHandle, id: number) =>
  findRow(
    db
      .selectFrom('service_row')
      .leftJoin('service_order', (join) =>
        join
          .onRef('service_order.company_id', '=', 'service_row.company_id')
          .onRef('service_order.code', '=', 'service_row.code')
          .on('service_order.is_listed', '=', true),
      )
      .selectAll('service_row')
      .select('service_order.id as order_id')
      .where('service_row.id', '=', id),
  )

/**
 * Returns services whose address ends with `urlSuffix`: demo services, whose address nobody can open. Services with a running operation are
 * left out. Needs the system role.
 */
export const listDemoServices = (db: DatabaseHandle, urlSuffix: string) =>
  db
    .selectFrom('service_row')
    .selectAll()
    .where('operation', 'is', null)
    .where((where) => where(sql`right(url, ${urlSuffix.length})`, '=', urlSuffix))
    .orderBy('id')
    .execute()

/** Returns the id of the order that represents the service in the list of orders (D35). */
export async function findListedOrderId(
  db: DatabaseHandle,
  { companyId, code }: { companyId: number; code: string },
): Promise<number | null> {
  const row = await db
    .selectFrom('service_order')
    .select('id')
    .where(hasValues({ company_id: companyId, code }))
    .where('is_listed', '=', true)
    .executeTakeFirst()
  return row?.id ?? null
}
