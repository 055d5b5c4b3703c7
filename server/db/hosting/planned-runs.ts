/** When the clock backs services up next. As the system; no device is told of it, so that no number is taken for it. */
import type { PdbType } from '#contract/backups.ts'
import type { DatabaseHandle } from '#server/db/database.ts'

/** Services whose subscription of either kind is paid for after that day, by id. */
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
