/** Rows of backup runs. A row is written before the run stores anything, and is never deleted. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { type PdbType, listBackups } from '#contract/backups.ts'
import { readChangeNumber, readRowChanges, takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { ServiceKey } from '#server/db/hosting/backups.ts'
import { type ListReads, readListPage } from '#server/db/list-query.ts'
import type { StoredBackupTable } from '#server/db/tables/backup-tables.ts'

export type StoredBackup = Selectable<StoredBackupTable>

const selectStoredBackups = (db: DatabaseHandle, { companyId, serviceId }: ServiceKey) =>
  db.selectFrom('backup').selectAll().where('company_id', '=', companyId).where('service_id', '=', serviceId)

const storedBackupColumns = {
  id: sql.ref('backup.id'),
  pdb_type: sql.ref('backup.pdb_type'),
  start_time: sql`(backup.create_time / 1000)`,
  bytes: sql.ref('backup.bytes'),
  duration: sql`(backup.end_time - backup.create_time)`,
}

export const storedBackupReads: ListReads<ServiceKey, StoredBackup> = {
  readLatestChange: (db, { companyId }) => readChangeNumber(db, companyId),
  readPage: (db, service, query) =>
    readListPage(selectStoredBackups(db, service), listBackups, storedBackupColumns, query),
  readChanges: (db, service, since) => readRowChanges(db, service.companyId, selectStoredBackups(db, service), since),
  readRowsAfter: (db, service, id, limit) =>
    selectStoredBackups(db, service).where('id', '>', id).orderBy('id').limit(limit).execute(),
}

export const findStoredBackup = (db: DatabaseHandle, companyId: number, id: number) =>
  findRow(db.selectFrom('backup').selectAll().where('company_id', '=', companyId).where('id', '=', id))

/** Finds a backup of any company. Needs the system role. */
export const findAnyStoredBackup = (db: DatabaseHandle, id: number) =>
  findRow(db.selectFrom('backup').selectAll().where('id', '=', id))

/** Returns backups of every company that has had this code, newest first. Needs the system role. */
export const listStoredBackupsOfCode = (db: DatabaseHandle, code: string, limit: number) =>
  db.selectFrom('backup').selectAll().where('service_code', '=', code).orderBy('id', 'desc').limit(limit).execute()

export const findRunningBackup = (db: DatabaseHandle, serviceId: number, type: PdbType) =>
  findRow(
    db
      .selectFrom('backup')
      .selectAll()
      .where(hasValues({ service_id: serviceId, pdb_type: type }))
      .where('state', '=', 'running'),
  )

export type NewBackup = Pick<
  Insertable<StoredBackupTable>,
  | 'company_id'
  | 'service_id'
  | 'service_code'
  | 'pdb_type'
  | 'cause'
  | 'user_id'
  | 'user_name'
  | 'by_provider'
  | 'progress_key'
>

/** Returns null if a backup of that service and kind is already running. */
export async function startStoredBackup(
  db: DatabaseHandle,
  backup: NewBackup,
  now: number,
): Promise<StoredBackup | null> {
  const times = { create_time: now, update_time: now, change: await takeChangeNumber(db, backup.company_id) }
  const row = await db
    .insertInto('backup')
    .values({ ...backup, ...times, state: 'running' })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

type StoredBackupFields = Omit<Updateable<StoredBackupTable>, 'change' | 'row_version' | 'update_time'>

/** Returns null if the backup is no longer in the given state. Needs the system role. */
export async function updateStoredBackup(
  db: DatabaseHandle,
  { id, company_id, state }: Pick<StoredBackup, 'id' | 'company_id' | 'state'>,
  fields: StoredBackupFields,
  now: number,
): Promise<StoredBackup | null> {
  const change = await takeChangeNumber(db, company_id)
  const row = await db
    .updateTable('backup')
    .set({ ...fields, change, update_time: now, row_version: sql`row_version + 1` })
    .where(hasValues({ id, state }))
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export const findLatestBackup = (db: DatabaseHandle, serviceId: number, type: PdbType, state: 'done' | 'ended') =>
  findRow(
    db
      .selectFrom('backup')
      .selectAll()
      .where(hasValues({ service_id: serviceId, pdb_type: type }))
      .where('state', 'in', state === 'done' ? ['done'] : ['done', 'failed', 'removed'])
      .orderBy('id', 'desc')
      .limit(1),
  )
