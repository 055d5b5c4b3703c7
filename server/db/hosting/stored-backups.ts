/** Backups that ran or run, as rows: written down before anything is stored, and never taken away. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { type BackupType, listBackups } from '#contract/backups.ts'
import { changeSince, takeChange } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import type { OfService } from '#server/db/hosting/backups.ts'
import { type ListQuery, type Page, readPage } from '#server/db/list-query.ts'
import type { StoredBackupTable } from '#server/db/tables/backup-tables.ts'

export type StoredBackup = Selectable<StoredBackupTable>

const ofService = (db: Handle, { companyId, serviceId }: OfService) =>
  db.selectFrom('backup').selectAll().where('company_id', '=', companyId).where('service_id', '=', serviceId)

const columns = {
  id: sql.ref('backup.id'),
  pdb_type: sql.ref('backup.pdb_type'),
  start_time: sql`(backup.create_time / 1000)`,
  bytes: sql.ref('backup.bytes'),
  duration: sql`(backup.end_time - backup.create_time)`,
}

export function pageOfStored(db: Handle, of: OfService, query: ListQuery): Promise<Page<StoredBackup>> {
  const { list } = listBackups
  if (!list) throw new Error('the list of backups fills no table')
  return readPage(ofService(db, of), { list, columns, id: columns.id }, query)
}

/** Rows whose number is above `since`; null: all. None ever goes. */
export async function storedSince(db: Handle, of: OfService, since: number | null) {
  const upto = await changeSince(db, of.companyId, since)
  const changed = await ofService(db, of)
    .where('change', '>', since ?? -1)
    .orderBy('change')
    .orderBy('id')
    .execute()
  return { changed, gone: [], upto }
}

export const storedAfter = (db: Handle, of: OfService, { id, most }: { id: number; most: number }) =>
  ofService(db, of).where('id', '>', id).orderBy('id').limit(most).execute()

export async function storedById(db: Handle, companyId: number, id: number): Promise<StoredBackup | null> {
  const row = await db
    .selectFrom('backup')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** Whosever it is. As the system. */
export const storedNow = async (db: Handle, id: number): Promise<StoredBackup | null> =>
  (await db.selectFrom('backup').selectAll().where('id', '=', id).executeTakeFirst()) ?? null

/** Newest first, of whichever companies had that code. As the system. */
export const storedOfCode = (db: Handle, code: string, most: number): Promise<StoredBackup[]> =>
  db.selectFrom('backup').selectAll().where('service_code', '=', code).orderBy('id', 'desc').limit(most).execute()

/** The one that runs of that service and kind. */
export const runningBackup = async (db: Handle, serviceId: number, type: BackupType): Promise<StoredBackup | null> =>
  (await db
    .selectFrom('backup')
    .selectAll()
    .where('service_id', '=', serviceId)
    .where('pdb_type', '=', type)
    .where('state', '=', 'running')
    .executeTakeFirst()) ?? null

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

/** Null: one runs already. */
export async function beginStored(db: Handle, backup: NewBackup, now: number): Promise<StoredBackup | null> {
  const times = { create_time: now, update_time: now, change: await takeChange(db, backup.company_id) }
  const row = await db
    .insertInto('backup')
    .values({ ...backup, ...times, state: 'running' })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

type Fields = Omit<Updateable<StoredBackupTable>, 'change' | 'row_version' | 'update_time'>

/** Only as long as it is in that state; null: it is not any more. As the system. */
export async function updateStored(
  db: Handle,
  { id, company_id, state }: Pick<StoredBackup, 'id' | 'company_id' | 'state'>,
  fields: Fields,
  now: number,
): Promise<StoredBackup | null> {
  const change = await takeChange(db, company_id)
  const row = await db
    .updateTable('backup')
    .set({ ...fields, change, update_time: now, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .where('state', '=', state)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export const newestBackup = async (
  db: Handle,
  serviceId: number,
  type: BackupType,
  state: 'done' | 'ended',
): Promise<StoredBackup | null> =>
  (await db
    .selectFrom('backup')
    .selectAll()
    .where('service_id', '=', serviceId)
    .where('pdb_type', '=', type)
    .where('state', 'in', state === 'done' ? ['done'] : ['done', 'failed', 'removed'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()) ?? null
