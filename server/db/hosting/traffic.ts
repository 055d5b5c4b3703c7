/** What backups and restores have moved, by run and month. */
import { sql } from 'kysely'
import type { PlainDate } from '#domain/time.ts'
import type { Month } from '#domain/traffic-months.ts'
import type { Handle } from '#server/db/handle.ts'
import type { Stamp } from '#server/db/orders/orders.ts'

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

/** Whether a month that costs something waits to be paid since before that instant. */
export async function isAnyOverdue(db: Handle, serviceId: number, before: number): Promise<boolean> {
  const row = await unpaid(db, before).where('service_id', '=', serviceId).limit(1).executeTakeFirst()
  return row !== undefined
}

const unpaid = (db: Handle, before: number) =>
  db
    .selectFrom('traffic')
    .select(['id', 'service_id', 'company_id'])
    .where('pay_date', 'is', null)
    .where(sql<boolean>`amount > 0`)
    .where('create_time', '<', before)

export async function payTraffic(
  db: Handle,
  id: number,
  paid: { pay_date: PlainDate; pay_amount: string },
  { change, time }: Stamp,
): Promise<void> {
  await db
    .updateTable('traffic')
    .set({ ...paid, change, update_time: time, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .execute()
}
