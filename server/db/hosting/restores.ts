/** Restores as rows: into a service, and drills, which go into an empty place. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { BackupFault } from '#contract/backups.ts'
import type { Handle } from '#server/db/handle.ts'
import type { OfService } from '#server/db/hosting/backups.ts'
import type { RestoreTable } from '#server/db/tables/backup-tables.ts'

export type Restore = Selectable<RestoreTable>
export type NewRestore = Omit<Insertable<RestoreTable>, 'id' | 'state' | 'fault' | 'end_time'>

/** Null: a drill of that backup runs already. */
export async function beginRestore(db: Handle, restore: NewRestore): Promise<number | null> {
  const row = await db
    .insertInto('restore')
    .values({ ...restore, state: 'running' })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

/** `fault`: null where it is done. As the system. */
export async function endRestore(db: Handle, id: number, fault: BackupFault | null, now: number): Promise<void> {
  await db
    .updateTable('restore')
    .set({ state: fault === null ? 'done' : 'failed', fault, end_time: now })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute()
}

/** Newest first, with the code of the service that the backup is of. */
export const restoresInto = (db: Handle, { companyId, serviceId }: OfService, most: number) =>
  db
    .selectFrom('restore')
    .innerJoin('backup', 'backup.id', 'restore.backup_id')
    .selectAll('restore')
    .select('backup.service_code as from_code')
    .where('restore.company_id', '=', companyId)
    .where('restore.service_id', '=', serviceId)
    .where('restore.state', '<>', 'running')
    .orderBy('restore.id', 'desc')
    .limit(most)
    .execute()

/** The newest that is at its end. */
export const lastDrill = async (db: Handle, { companyId, serviceId }: OfService): Promise<Restore | null> =>
  (await db
    .selectFrom('restore')
    .innerJoin('backup', 'backup.id', 'restore.backup_id')
    .selectAll('restore')
    .where('restore.company_id', '=', companyId)
    .where('backup.service_id', '=', serviceId)
    .where('restore.kind', '=', 'drill')
    .where('restore.state', '<>', 'running')
    .orderBy('restore.id', 'desc')
    .limit(1)
    .executeTakeFirst()) ?? null

/** Drills whose long request is not there any more. As the system. */
export const abandonedDrills = (db: Handle, before: number): Promise<Restore[]> =>
  db
    .selectFrom('restore')
    .selectAll()
    .where('kind', '=', 'drill')
    .where('state', '=', 'running')
    .where('create_time', '<', before)
    .where(sql<boolean>`not exists (select from job where job.intent = 'drill-' || restore.id)`)
    .execute()
