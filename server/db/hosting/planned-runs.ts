/** Times of scheduled backups. Devices do not see them, so no change number is taken. Needs the system role. */
import type { PdbType } from '#contract/backups.ts'
import type { DatabaseHandle } from '#server/db/database.ts'

/**
 * Returns services with a paid subscription of either kind that ends after `today`, sorted by id. Services with a running operation are
 * left out.
 */
export const listSubscribedServices = (db: DatabaseHandle, today: string) =>
  db
    .selectFrom('service_row')
    .selectAll()
    .where((where) => where.or([where('pdb2s3_date', '>', today), where('pdb2rds_date', '>', today)]))
    .where('operation', 'is', null)
    .orderBy('id')
    .execute()

export async function setNextRun(db: DatabaseHandle, serviceId: number, type: PdbType, nextRunAt: number) {
  await db
    .updateTable('service')
    .set(type === 'pdb2s3' ? { next_pdb2s3: nextRunAt } : { next_pdb2rds: nextRunAt })
    .where('id', '=', serviceId)
    .execute()
}
