/** Queries for cleaning up: abandoned and expired backups, and stored data that is no longer needed. Needs the system role. */
import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { StoredBackup } from '#server/db/hosting/stored-backups.ts'

/** Returns backups in the state "running" whose long request has ended or does not exist. */
export const listAbandonedBackups = (db: DatabaseHandle, createdBefore: number, limit: number) =>
  db
    .selectFrom('backup')
    .selectAll()
    .where('state', '=', 'running')
    .where('create_time', '<', createdBefore)
    .where(
      sql<boolean>`not exists (select from job where job.progress_key = backup.progress_key
        and job.state in ('queued', 'running'))`,
    )
    .orderBy('id')
    .limit(limit)
    .execute()

export interface BackupRetention {
  count: number
  /** Backups created before this time are removed. Epoch ms. */
  createdBefore: number
  /** All backups of services whose data was erased before this time are removed. Epoch ms. */
  erasedBefore: number
  limit: number
}

/**
 * Returns backups beyond the maximum number or age, except the latest good backup of each service and kind. Also returns all backups of
 * services that were erased before `erasedBefore`. Backups that are being restored are left out.
 */
export async function listBackupsToRemove(
  db: DatabaseHandle,
  { count, createdBefore, erasedBefore, limit }: BackupRetention,
): Promise<StoredBackup[]> {
  const { rows } = await sql<StoredBackup>`
    select b.* from (
      select backup.*, row_number() over (partition by service_id, pdb_type order by id desc) as nth
      from backup where state = 'done') b
    join service s on s.id = b.service_id
    where (nth > 1 and (nth > ${count} or b.create_time < ${createdBefore})
      or s.system_status = 0 and s.erase_date is null and s.erase_time < ${erasedBefore})
      and not exists (select from restore r where r.backup_id = b.id and r.state = 'running')
    order by b.id limit ${limit}`.execute(db)
  return rows
}

/** Returns failed and removed backups whose stored data must still be deleted. */
export const listBackupsToClear = (db: DatabaseHandle, limit: number) =>
  db
    .selectFrom('backup')
    .selectAll()
    .where('state', 'in', ['failed', 'removed'])
    .where('location', 'is not', null)
    .orderBy('update_time')
    .limit(limit)
    .execute()

export const findBackupsByIds = (db: DatabaseHandle, ids: readonly number[]): Promise<StoredBackup[]> =>
  ids.length === 0 ? Promise.resolve([]) : db.selectFrom('backup').selectAll().where('id', 'in', ids).execute()

export async function countScheduledRuns(db: DatabaseHandle): Promise<number> {
  const { count } = await db
    .selectFrom('backup')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where(hasValues({ state: 'running', cause: 'schedule' }))
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Returns the latest good backup of each active service and kind that needs a drill: there was none, the last one is older than
 * `drilledBefore`, or the last one failed with an earlier backup.
 */
export async function listBackupsToDrill(
  db: DatabaseHandle,
  drilledBefore: number,
  limit: number,
): Promise<StoredBackup[]> {
  const { rows } = await sql<StoredBackup>`
    select b.* from (
      select backup.*, row_number() over (partition by service_id, pdb_type order by id desc) as nth
      from backup where state = 'done') b
    join service s on s.id = b.service_id
    left join lateral (
      select r.backup_id, r.state, r.create_time from restore r join backup d on d.id = r.backup_id
      where r.kind = 'drill' and d.service_id = b.service_id and d.pdb_type = b.pdb_type
      order by r.id desc limit 1) last on true
    where nth = 1 and s.system_status > 0
      and (last.state is null or last.state = 'done' and last.create_time <= ${drilledBefore}
        or last.state = 'failed' and (last.backup_id <> b.id or last.create_time <= ${drilledBefore}))
      and not (b.pdb_type = 'pdb2s3' and s.traffic_disabled)
    order by b.id limit ${limit}`.execute(db)
  return rows
}
