/** Rows of restores into a service, and of drills, which restore a backup into an empty instance to test it. */
import { type Insertable, sql } from 'kysely'
import type { BackupFault } from '#contract/backups.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { ServiceKey } from '#server/db/hosting/backups.ts'
import type { RestoreTable } from '#server/db/tables/backup-tables.ts'

export type NewRestore = Omit<Insertable<RestoreTable>, 'id' | 'state' | 'fault' | 'end_time'>

/** Returns the id of the new row. Returns null for a drill if another drill of that backup is already running. */
export async function startRestore(db: DatabaseHandle, restore: NewRestore): Promise<number | null> {
  const row = await db
    .insertInto('restore')
    .values({ ...restore, state: 'running' })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

/** Stores the result of a running restore. `fault` is null if it succeeded. Needs the system role. */
export async function finishRestore(db: DatabaseHandle, id: number, fault: BackupFault | null, now: number) {
  await db
    .updateTable('restore')
    .set({ state: fault === null ? 'done' : 'failed', fault, end_time: now })
    .where(hasValues({ id, state: 'running' }))
    .execute()
}

/** Returns ended restores into the service, newest first, with the code of the service that was backed up. */
export const listRestoresInto = (db: DatabaseHandle, { companyId, serviceId }: ServiceKey, limit: number) =>
  db
    .selectFrom('restore')
    .innerJoin('backup', 'backup.id', 'restore.backup_id')
    .selectAll('restore')
    .select('backup.service_code as from_code')
    .where(hasValues({ 'restore.company_id': companyId, 'restore.service_id': serviceId }))
    .where('restore.state', '<>', 'running')
    .orderBy('restore.id', 'desc')
    .limit(limit)
    .execute()

export const findLastDrill = (db: DatabaseHandle, { companyId, serviceId }: ServiceKey) =>
  findRow(
    db
      .selectFrom('restore')
      .innerJoin('backup', 'backup.id', 'restore.backup_id')
      .selectAll('restore')
      .where('restore.company_id', '=', companyId)
      .where(hasValues({ 'backup.service_id': serviceId, 'restore.kind': 'drill' }))
      .where('restore.state', '<>', 'running')
      .orderBy('restore.id', 'desc')
      .limit(1),
  )

/** Returns running drills, created before `createdBefore`, whose long request no longer exists. Needs the system role. */
export const listAbandonedDrills = (db: DatabaseHandle, createdBefore: number) =>
  db
    .selectFrom('restore')
    .selectAll()
    .where(hasValues({ kind: 'drill', state: 'running' }))
    .where('create_time', '<', createdBefore)
    .where(sql<boolean>`not exists (select from job where job.intent = 'drill-' || restore.id)`)
    .execute()
