/** When the clock backs services up next. As the system; no device is told of it, so that no number is taken for it. */
import type { BackupType } from '#contract/backups.ts'
import type { Handle } from '#server/db/handle.ts'
import type { ServiceRow } from '#server/db/hosting/services.ts'

/** Services whose subscription of either kind is paid for after that day, by id. */
export const subscribedServices = (db: Handle, today: string): Promise<ServiceRow[]> =>
  db
    .selectFrom('service_row')
    .selectAll()
    .where((where) => where.or([where('pdb2s3_date', '>', today), where('pdb2rds_date', '>', today)]))
    .where('operation', 'is', null)
    .orderBy('id')
    .execute()

export async function setNextRun(db: Handle, serviceId: number, type: BackupType, next: number): Promise<void> {
  await db
    .updateTable('service')
    .set(type === 'pdb2s3' ? { next_pdb2s3: next } : { next_pdb2rds: next })
    .where('id', '=', serviceId)
    .execute()
}
