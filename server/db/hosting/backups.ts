/** Rows of backup orders and of months of traffic. Rows are never deleted. */
import { type Insertable, type Selectable, sql, type SqlBool } from 'kysely'
import { listBackupOrders, listTraffic } from '#contract/backups.ts'
import { type BackupType, toBoughtPeriod } from '#domain/backups.ts'
import { type Hundredths, readAmount } from '#domain/money.ts'
import type { BoughtPeriod } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import type { BackupOrderTable, TrafficTable } from '#server/db/tables/backup-tables.ts'
import { readChangeNumber, readRowChanges } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import { isBackupExpired, type ExpiryBounds } from '#server/db/hosting/expired-backups.ts'
import { takeServiceChangeNumber } from '#server/db/hosting/services.ts'
import { type ListReads, readListPage } from '#server/db/list-query.ts'
import type { ChangeStamp } from '#server/db/orders/orders.ts'

interface InvoiceNumberColumn {
  invoice_no: string | null
}
export type BackupRecord = Selectable<BackupOrderTable> & InvoiceNumberColumn
export type TrafficRecord = Selectable<TrafficTable> & InvoiceNumberColumn

export interface ServiceKey {
  companyId: number
  serviceId: number
}

const selectBackups = (db: DatabaseHandle, companyId: number) =>
  db
    .selectFrom('backup_order')
    .selectAll()
    .select(
      sql<string | null>`(select i.code from invoice i where i.backup_order_id = backup_order.id)`.as('invoice_no'),
    )
    .where('company_id', '=', companyId)

const selectTraffic = (db: DatabaseHandle, companyId: number) =>
  db
    .selectFrom('traffic')
    .selectAll()
    .select(sql<string | null>`(select i.code from invoice i where i.traffic_id = traffic.id)`.as('invoice_no'))
    .where('company_id', '=', companyId)

const selectServiceBackups = (db: DatabaseHandle, { companyId, serviceId }: ServiceKey) =>
  selectBackups(db, companyId).where('service_id', '=', serviceId)
const selectServiceTraffic = (db: DatabaseHandle, { companyId, serviceId }: ServiceKey) =>
  selectTraffic(db, companyId).where('service_id', '=', serviceId)

const selectStatus = (bounds: ExpiryBounds) => sql<-1 | 0 | 1>`
  (case when ${isBackupExpired(bounds)} then -1 else backup_order.status end)`

const getBackupColumns = (bounds: ExpiryBounds) => ({
  id: sql.ref('backup_order.id'),
  pdb_type: sql.ref('backup_order.pdb_type'),
  create_time: sql`(backup_order.create_time / 1000)`,
  period_start: sql.ref('backup_order.period_start'),
  period_end: sql.ref('backup_order.period_end'),
  status: selectStatus(bounds),
})

const trafficColumns = {
  id: sql.ref('traffic.id'),
  period_end: sql.ref('traffic.period_end'),
  pdb_traffic: sql.ref('traffic.pdb_traffic'),
  pay_date: sql.ref('traffic.pay_date'),
}

export interface BackupListScope extends ServiceKey {
  bounds: ExpiryBounds
}

export const backupReads: ListReads<BackupListScope, BackupRecord> = {
  readLatestChange: (db, { companyId }) => readChangeNumber(db, companyId),
  readPage: (db, scope, query) =>
    readListPage(selectServiceBackups(db, scope), listBackupOrders, getBackupColumns(scope.bounds), query, {
      hasNoNulls: true,
    }),
  /** Also returns orders that have expired although no job has given them a change number yet. */
  readChanges: (db, scope, since) => {
    const isChanged = sql<SqlBool>`(change > ${since ?? -1} or ${isBackupExpired(scope.bounds)})`
    return readRowChanges(db, scope.companyId, selectServiceBackups(db, scope), since, isChanged)
  },
  readRowsAfter: (db, scope, id, limit) =>
    selectServiceBackups(db, scope).where('id', '>', id).orderBy('id').limit(limit).execute(),
}

export const trafficReads: ListReads<ServiceKey, TrafficRecord> = {
  readLatestChange: (db, { companyId }) => readChangeNumber(db, companyId),
  readPage: (db, service, query) => readListPage(selectServiceTraffic(db, service), listTraffic, trafficColumns, query),
  readChanges: (db, service, since) => readRowChanges(db, service.companyId, selectServiceTraffic(db, service), since),
  readRowsAfter: (db, service, id, limit) =>
    selectServiceTraffic(db, service).where('id', '>', id).orderBy('id').limit(limit).execute(),
}

export const findBackupById = (db: DatabaseHandle, companyId: number, id: number) =>
  findRow(selectBackups(db, companyId).where('id', '=', id))

export const findTrafficById = (db: DatabaseHandle, companyId: number, id: number) =>
  findRow(selectTraffic(db, companyId).where('id', '=', id))

export const isCompanyService = (db: DatabaseHandle, { companyId, serviceId }: ServiceKey) =>
  hasRow(db.selectFrom('service').select('id').where('company_id', '=', companyId).where('id', '=', serviceId))

/** Returns the company's name for the service. Returns the service code if the service now belongs to another company. */
export async function findServiceName(
  db: DatabaseHandle,
  { company_id, service_id, service_code }: Pick<BackupRecord, 'company_id' | 'service_id' | 'service_code'>,
): Promise<string> {
  const row = await db
    .selectFrom('service')
    .select('name')
    .where(hasValues({ company_id, id: service_id }))
    .executeTakeFirst()
  return row?.name ?? service_code
}

export async function insertBackup(db: DatabaseHandle, backup: Insertable<BackupOrderTable>): Promise<number> {
  const { id } = await db.insertInto('backup_order').values(backup).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function insertTraffic(db: DatabaseHandle, traffic: Insertable<TrafficTable>): Promise<number> {
  const { id } = await db.insertInto('traffic').values(traffic).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function findLastPaidPeriod(
  db: DatabaseHandle,
  { companyId, serviceId }: ServiceKey,
  type: BackupType,
): Promise<BoughtPeriod | null> {
  const row = await db
    .selectFrom('backup_order')
    .select(['period_end', 'anchor_date', 'anchor_months'])
    .where(hasValues({ company_id: companyId, service_id: serviceId, pdb_type: type, status: 1 }))
    .orderBy('period_end', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? toBoughtPeriod(row) : null
}

/** Returns the unpaid order, or undefined. There is at most one of each kind (D91). Locks it until the commit. */
export const lockUnpaidBackup = (db: DatabaseHandle, { companyId, serviceId }: ServiceKey, type: BackupType) =>
  db
    .selectFrom('backup_order')
    .select('id')
    .where(hasValues({ company_id: companyId, service_id: serviceId, pdb_type: type, status: 0 }))
    .forUpdate()
    .executeTakeFirst()

export async function sumWaivedBackups(
  db: DatabaseHandle,
  { companyId, serviceId }: ServiceKey,
  { type, today }: { type: BackupType; today: PlainDate },
): Promise<Hundredths> {
  const { sum } = await db
    .selectFrom('backup_order')
    .select(sql<string>`coalesce(sum(waived), 0)::numeric(16, 2)`.as('sum'))
    .where(hasValues({ company_id: companyId, service_id: serviceId, pdb_type: type, status: 1 }))
    .where('period_end', '>', today)
    .executeTakeFirstOrThrow()
  return readAmount(sum)
}

type BackupOrderKey = Pick<BackupRecord, 'id' | 'service_id' | 'pdb_type'>

const selectLaterBackups = (db: DatabaseHandle, { id, service_id, pdb_type }: BackupOrderKey) =>
  db.selectFrom('backup_order').select('id').where(hasValues({ service_id, pdb_type })).where('id', '>', id).limit(1)

export const isReplacedBackup = (db: DatabaseHandle, backup: BackupOrderKey) => hasRow(selectLaterBackups(db, backup))

/** Returns whether the service has a later order of the same kind that is paid or unpaid, but not invalid. */
export const hasNewerBackup = (db: DatabaseHandle, backup: BackupOrderKey) =>
  hasRow(selectLaterBackups(db, backup).where('status', '>=', 0))

/** Writes the status and the next version. */
export async function updateBackup(
  db: DatabaseHandle,
  id: number,
  fields: { status: -1 | 1 },
  { change, time }: ChangeStamp,
): Promise<void> {
  await db
    .updateTable('backup_order')
    .set({ ...fields, change, update_time: time, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .execute()
}

/**
 * Schedules the first backup for now. With `isContinued`, an existing schedule is not changed. Takes a change number, because the service's
 * row in the list changes.
 */
export async function scheduleFirstBackup(
  db: DatabaseHandle,
  { companyId, serviceId }: ServiceKey,
  { type, now, isContinued }: { type: BackupType; now: number; isContinued: boolean },
): Promise<void> {
  const change = await takeServiceChangeNumber(db)
  const nextColumn = `next_${type}` as const
  await db
    .updateTable('service')
    .set({ change, [nextColumn]: isContinued ? sql`coalesce(${sql.ref(nextColumn)}, ${now}::bigint)` : now })
    .where(hasValues({ company_id: companyId, id: serviceId }))
    .execute()
}

/** Returns whether backups to the bucket are suspended. Returns false if the service no longer exists. */
export async function isTrafficDisabled(db: DatabaseHandle, companyId: number, serviceId: number): Promise<boolean> {
  const row = await db
    .selectFrom('service')
    .select('traffic_disabled')
    .where(hasValues({ company_id: companyId, id: serviceId }))
    .executeTakeFirst()
  return row?.traffic_disabled ?? false
}

/** Returns expired orders. Locks them for this transaction and skips rows that another node has locked. Needs the system role. */
export const lockExpiredBackups = (db: DatabaseHandle, bounds: ExpiryBounds, limit: number) =>
  db
    .selectFrom('backup_order')
    .select(['id', 'company_id', 'service_code'])
    .where(isBackupExpired(bounds))
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
