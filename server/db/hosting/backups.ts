/** Backup subscriptions and their traffic as rows: made and paid, never taken away. */
import { type Insertable, type Selectable, sql } from 'kysely'
import { listBackupOrders, listTraffic } from '#contract/backups.ts'
import type { ListSpec } from '#contract/endpoint.ts'
import { type BackupType, boughtPeriod } from '#domain/backups.ts'
import { type Hundredths, readAmount } from '#domain/money.ts'
import type { BoughtPeriod } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import type { BackupOrderTable, TrafficTable } from '#server/db/tables/backup-tables.ts'
import { changeSince } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { isLapsed, type LapseBounds } from '#server/db/hosting/lapsed-backups.ts'
import { takeServiceChange } from '#server/db/hosting/services.ts'
import { type ListQuery, type Page, readPage } from '#server/db/list-query.ts'
import type { Stamp } from '#server/db/orders/orders.ts'

interface Numbered {
  invoice_no: string | null
}
export type BackupRecord = Selectable<BackupOrderTable> & Numbered
export type TrafficRecord = Selectable<TrafficTable> & Numbered

/** Whose rows, and of which service. */
export interface OfService {
  companyId: number
  serviceId: number
}

const backups = (db: Handle, companyId: number) =>
  db
    .selectFrom('backup_order')
    .selectAll()
    .select(
      sql<string | null>`(select i.code from invoice i where i.backup_order_id = backup_order.id)`.as('invoice_no'),
    )
    .where('company_id', '=', companyId)

const traffics = (db: Handle, companyId: number) =>
  db
    .selectFrom('traffic')
    .selectAll()
    .select(sql<string | null>`(select i.code from invoice i where i.traffic_id = traffic.id)`.as('invoice_no'))
    .where('company_id', '=', companyId)

const backupsOf = (db: Handle, { companyId, serviceId }: OfService) =>
  backups(db, companyId).where('service_id', '=', serviceId)
const trafficOf = (db: Handle, { companyId, serviceId }: OfService) =>
  traffics(db, companyId).where('service_id', '=', serviceId)

const statusAt = (bounds: LapseBounds) => sql<-1 | 0 | 1>`
  (case when ${isLapsed(bounds)} then -1 else backup_order.status end)`

const backupColumnsAt = (bounds: LapseBounds) => ({
  id: sql.ref('backup_order.id'),
  pdb_type: sql.ref('backup_order.pdb_type'),
  create_time: sql`(backup_order.create_time / 1000)`,
  period_start: sql.ref('backup_order.period_start'),
  period_end: sql.ref('backup_order.period_end'),
  status: statusAt(bounds),
})

const trafficColumns = {
  id: sql.ref('traffic.id'),
  period_end: sql.ref('traffic.period_end'),
  pdb_traffic: sql.ref('traffic.pdb_traffic'),
  pay_date: sql.ref('traffic.pay_date'),
}

const fillsOf = ({ list }: { list?: ListSpec }): ListSpec => {
  if (!list) throw new Error('a list of backups fills no table')
  return list
}

export function pageOfBackups(
  db: Handle,
  of: OfService,
  bounds: LapseBounds,
  query: ListQuery,
): Promise<Page<BackupRecord>> {
  const columns = backupColumnsAt(bounds)
  return readPage(backupsOf(db, of), { list: fillsOf(listBackupOrders), columns, id: columns.id, noNulls: true }, query)
}

export const pageOfTraffic = (db: Handle, of: OfService, query: ListQuery): Promise<Page<TrafficRecord>> =>
  readPage(trafficOf(db, of), { list: fillsOf(listTraffic), columns: trafficColumns, id: trafficColumns.id }, query)

/** Rows whose number is above `since`, and those that time has changed and no job has numbered yet; null: all. None ever goes. */
export async function backupsSince(db: Handle, of: OfService, bounds: LapseBounds, since: number | null) {
  const upto = await changeSince(db, of.companyId, since)
  const changed = await backupsOf(db, of)
    .where((where) => where.or([where('change', '>', since ?? -1), isLapsed(bounds)]))
    .orderBy('change')
    .orderBy('id')
    .execute()
  return { changed, gone: [], upto }
}

/** Rows whose number is above `since`; null: all. None ever goes. */
export async function trafficSince(db: Handle, of: OfService, since: number | null) {
  const upto = await changeSince(db, of.companyId, since)
  const changed = await trafficOf(db, of)
    .where('change', '>', since ?? -1)
    .orderBy('change')
    .orderBy('id')
    .execute()
  return { changed, gone: [], upto }
}

/** Where a stream goes on. */
interface After {
  id: number
  most: number
}

export const backupsAfter = (db: Handle, of: OfService, { id, most }: After): Promise<BackupRecord[]> =>
  backupsOf(db, of).where('id', '>', id).orderBy('id').limit(most).execute()

export const trafficAfter = (db: Handle, of: OfService, { id, most }: After): Promise<TrafficRecord[]> =>
  trafficOf(db, of).where('id', '>', id).orderBy('id').limit(most).execute()

export async function backupById(db: Handle, companyId: number, id: number): Promise<BackupRecord | null> {
  return (await backups(db, companyId).where('id', '=', id).executeTakeFirst()) ?? null
}

export async function trafficById(db: Handle, companyId: number, id: number): Promise<TrafficRecord | null> {
  return (await traffics(db, companyId).where('id', '=', id).executeTakeFirst()) ?? null
}

/** Whether it is a service of that company. */
export async function isServiceOf(db: Handle, { companyId, serviceId }: OfService): Promise<boolean> {
  const row = await db
    .selectFrom('service')
    .select('id')
    .where('company_id', '=', companyId)
    .where('id', '=', serviceId)
    .executeTakeFirst()
  return row !== undefined
}

/** As its company calls it; its code where the service is another company's by now. */
export async function serviceNameOf(
  db: Handle,
  { company_id, service_id, service_code }: Pick<BackupRecord, 'company_id' | 'service_id' | 'service_code'>,
): Promise<string> {
  const row = await db
    .selectFrom('service')
    .select('name')
    .where('company_id', '=', company_id)
    .where('id', '=', service_id)
    .executeTakeFirst()
  return row?.name ?? service_code
}

export async function insertBackup(db: Handle, backup: Insertable<BackupOrderTable>): Promise<number> {
  const { id } = await db.insertInto('backup_order').values(backup).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function insertTraffic(db: Handle, traffic: Insertable<TrafficTable>): Promise<number> {
  const { id } = await db.insertInto('traffic').values(traffic).returning('id').executeTakeFirstOrThrow()
  return id
}

/** The last one of that kind that is paid; null: none ever was. */
export async function lastPaidPeriod(
  db: Handle,
  { companyId, serviceId }: OfService,
  type: BackupType,
): Promise<BoughtPeriod | null> {
  const row = await db
    .selectFrom('backup_order')
    .select(['period_end', 'anchor_date', 'anchor_months'])
    .where('company_id', '=', companyId)
    .where('service_id', '=', serviceId)
    .where('pdb_type', '=', type)
    .where('status', '=', 1)
    .orderBy('period_end', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? boughtPeriod(row) : null
}

/** The one that waits to be paid: there is at most one a kind (D91). Locked until the commit. */
export const unpaidBackup = (db: Handle, { companyId, serviceId }: OfService, type: BackupType) =>
  db
    .selectFrom('backup_order')
    .select('id')
    .where('company_id', '=', companyId)
    .where('service_id', '=', serviceId)
    .where('pdb_type', '=', type)
    .where('status', '=', 0)
    .forUpdate()
    .executeTakeFirst()

/** What of subscriptions of that kind that are not over was waived. */
export async function waivedBackups(
  db: Handle,
  { companyId, serviceId }: OfService,
  { type, today }: { type: BackupType; today: PlainDate },
): Promise<Hundredths> {
  const { sum } = await db
    .selectFrom('backup_order')
    .select(sql<string>`coalesce(sum(waived), 0)::numeric(16, 2)`.as('sum'))
    .where('company_id', '=', companyId)
    .where('service_id', '=', serviceId)
    .where('pdb_type', '=', type)
    .where('status', '=', 1)
    .where('period_end', '>', today)
    .executeTakeFirstOrThrow()
  return readAmount(sum)
}

type BackupOrderKey = Pick<BackupRecord, 'id' | 'service_id' | 'pdb_type'>

const laterBackups = (db: Handle, { id, service_id, pdb_type }: BackupOrderKey) =>
  db
    .selectFrom('backup_order')
    .select('id')
    .where('service_id', '=', service_id)
    .where('pdb_type', '=', pdb_type)
    .where('id', '>', id)
    .limit(1)

/** Another one of its kind was ordered since. */
export const isReplacedBackup = async (db: Handle, backup: BackupOrderKey): Promise<boolean> =>
  (await laterBackups(db, backup).executeTakeFirst()) !== undefined

/** Whether another one of its kind was ordered since, and is paid or waits to be. */
export const hasNewerBackup = async (db: Handle, backup: BackupOrderKey): Promise<boolean> =>
  (await laterBackups(db, backup).where('status', '>=', 0).executeTakeFirst()) !== undefined

/** Writes the status with the next version. */
export async function updateBackup(
  db: Handle,
  id: number,
  fields: { status: -1 | 1 },
  { change, time }: Stamp,
): Promise<void> {
  await db
    .updateTable('backup_order')
    .set({ ...fields, change, update_time: time, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .execute()
}

/** The first one comes soon, where none of the kind goes on. Its row in the list says something else as well from now on. */
export async function beginBackups(
  db: Handle,
  { companyId, serviceId }: OfService,
  { type, now, goesOn }: { type: BackupType; now: number; goesOn: boolean },
): Promise<void> {
  const change = await takeServiceChange(db)
  const next = `next_${type}` as const
  await db
    .updateTable('service')
    .set({ change, [next]: goesOn ? sql`coalesce(${sql.ref(next)}, ${now}::bigint)` : now })
    .where('company_id', '=', companyId)
    .where('id', '=', serviceId)
    .execute()
}

/** Whether its backups to the bucket are suspended; of a service that is gone too. */
export async function isTrafficDisabled(db: Handle, companyId: number, serviceId: number): Promise<boolean> {
  const row = await db
    .selectFrom('service')
    .select('traffic_disabled')
    .where('company_id', '=', companyId)
    .where('id', '=', serviceId)
    .executeTakeFirst()
  return row?.traffic_disabled ?? false
}

/** Locked for this transaction; those that another node works on are stepped over. As the system. */
export const overdueBackups = (db: Handle, bounds: LapseBounds, most: number) =>
  db
    .selectFrom('backup_order')
    .select(['id', 'company_id', 'service_code'])
    .where(isLapsed(bounds))
    .orderBy('id')
    .limit(most)
    .forUpdate()
    .skipLocked()
    .execute()
