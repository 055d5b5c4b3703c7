/** What backups and restores have moved, by run and month. */
import { sql } from 'kysely'
import type { Month } from '#domain/traffic-months.ts'
import type { Handle } from '#server/db/handle.ts'

/** A backup or a restore, by a name that stays its own when it is begun again. */
export interface Run {
  companyId: number
  serviceId: number
  run: string
}

/** In all months. */
export async function movedByRun(db: Handle, run: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('traffic_moved')
    .select(sql<number>`coalesce(sum(bytes), 0)::bigint`.as('bytes'))
    .where('run', '=', run)
    .executeTakeFirstOrThrow()
  return bytes
}

export async function addMoved(
  db: Handle,
  { companyId, serviceId, run }: Run,
  { month, bytes }: { month: Month; bytes: number },
): Promise<void> {
  await db
    .insertInto('traffic_moved')
    .values({ company_id: companyId, service_id: serviceId, run, month, bytes })
    .onConflict((conflict) =>
      conflict.columns(['run', 'month']).doUpdateSet({ bytes: sql<number>`traffic_moved.bytes + excluded.bytes` }),
    )
    .execute()
}
