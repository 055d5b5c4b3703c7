import { sql } from 'kysely'
import { type Currency, type Hundredths, readAmount } from '#domain/money.ts'
import type { PlainDate } from '#domain/time.ts'
import type { CalendarMonth, TrafficSubscription } from '#domain/traffic-months.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { ServiceKey, TrafficRecord } from '#server/db/hosting/backups.ts'
import type { ChangeStamp } from '#server/db/orders/orders.ts'

/** A backup or a restore whose bytes are counted. Its name `run` stays the same when it is started again. */
export interface TrafficRun {
  companyId: number
  serviceId: number
  run: string
}

/** Returns the bytes of a run, summed over all months. */
export async function sumTrafficOfRun(db: DatabaseHandle, run: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('traffic_moved')
    .select(sql<number>`coalesce(sum(bytes), 0)::bigint`.as('bytes'))
    .where('run', '=', run)
    .executeTakeFirstOrThrow()
  return bytes
}

export async function addTraffic(
  db: DatabaseHandle,
  { companyId, serviceId, run }: TrafficRun,
  { month, bytes }: { month: CalendarMonth; bytes: number },
): Promise<void> {
  await db
    .insertInto('traffic_moved')
    .values({ company_id: companyId, service_id: serviceId, run, month, bytes })
    .onConflict((conflict) =>
      conflict.columns(['run', 'month']).doUpdateSet({ bytes: sql<number>`traffic_moved.bytes + excluded.bytes` }),
    )
    .execute()
}

export async function sumTrafficByMonth(db: DatabaseHandle, serviceId: number): Promise<Map<CalendarMonth, number>> {
  const rows = await db
    .selectFrom('traffic_moved')
    .select(['month', sql<number>`sum(bytes)::bigint`.as('bytes')])
    .where('service_id', '=', serviceId)
    .groupBy('month')
    .execute()
  return new Map(rows.map(({ month, bytes }) => [month, bytes]))
}

export interface TrafficTerms extends TrafficSubscription {
  priceId: number
  currency: Currency
}

export async function listTrafficTerms(
  db: DatabaseHandle,
  { companyId, serviceId }: ServiceKey,
): Promise<TrafficTerms[]> {
  const rows = await db
    .selectFrom('backup_order')
    .select(['id', 'period_start', 'period_end', 'price_id', 'currency'])
    .where(hasValues({ company_id: companyId, service_id: serviceId, pdb_type: 'pdb2s3', status: 1 }))
    .execute()
  return rows.map(({ id, period_start: start, period_end: end, price_id: priceId, currency }) => ({
    id,
    start,
    end,
    priceId,
    currency,
  }))
}

/** Returns services that may have unbilled months up to `lastMonth`, sorted by id. Needs the system role. */
export const listServicesToBill = (db: DatabaseHandle, lastMonth: CalendarMonth) =>
  db
    .selectFrom('service')
    .select(['id', 'company_id'])
    .where((where) => where.or([where('closed_month', 'is', null), where('closed_month', '<', lastMonth)]))
    .where((where) =>
      where.or([
        where.exists(
          where
            .selectFrom('backup_order')
            .select('backup_order.id')
            .whereRef('backup_order.service_id', '=', 'service.id')
            .where('pdb_type', '=', 'pdb2s3')
            .where('status', '=', 1),
        ),
        where.exists(
          where
            .selectFrom('traffic_moved')
            .select('traffic_moved.run')
            .whereRef('traffic_moved.service_id', '=', 'service.id'),
        ),
      ]),
    )
    .orderBy('id')
    .execute()

/** Takes no change number, because no list shows this field. */
export async function closeMonths(db: DatabaseHandle, serviceId: number, lastMonth: CalendarMonth): Promise<void> {
  await db.updateTable('service').set({ closed_month: lastMonth }).where('id', '=', serviceId).execute()
}

/**
 * Bounds of overdue traffic: a month is overdue if it is unpaid, was billed before `createdBefore`, and its amount is not below the
 * smallest payable amount.
 */
export interface OverdueBounds {
  createdBefore: number
  minAmounts: Record<Currency, string>
}

export const hasOverdueTraffic = (db: DatabaseHandle, serviceId: number, bounds: OverdueBounds) =>
  hasRow(selectUnpaidTraffic(db, bounds).where('service_id', '=', serviceId).limit(1))

/** Returns overdue months for which no notice was sent so far, sorted by id. Needs the system role. */
export const listNewlyOverdueTraffic = (db: DatabaseHandle, bounds: OverdueBounds) =>
  selectUnpaidTraffic(db, bounds).where('notified_overdue', '=', false).orderBy('id').execute()

export type OverdueTraffic = Pick<TrafficRecord, 'id' | 'service_id' | 'company_id' | 'service_code' | 'period_end'>

/** Records that the notice is sent. Returns false if the month was paid meanwhile or another node sends the notice. */
export const claimOverdueNotice = (db: DatabaseHandle, id: number) =>
  hasRow(
    db
      .updateTable('traffic')
      .set({ notified_overdue: true })
      .where(hasValues({ id, pay_date: null }))
      .where('notified_overdue', '=', false)
      .returning('id'),
  )

const selectUnpaidTraffic = (db: DatabaseHandle, { createdBefore, minAmounts: { HKD, USD, RMB } }: OverdueBounds) =>
  db
    .selectFrom('traffic')
    .select(['id', 'service_id', 'company_id', 'service_code', 'period_end'])
    .where('pay_date', 'is', null)
    .where(sql<boolean>`amount > 0`)
    .where(
      sql<boolean>`amount >= case currency when 'HKD' then ${HKD}::numeric when 'USD' then ${USD}::numeric
        else ${RMB}::numeric end`,
    )
    .where('create_time', '<', createdBefore)

export async function payTraffic(
  db: DatabaseHandle,
  id: number,
  payment: { pay_date: PlainDate; pay_amount: string },
  { change, time }: ChangeStamp,
): Promise<void> {
  await db
    .updateTable('traffic')
    .set({ ...payment, change, update_time: time, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .execute()
}

/** Amount to carry to the next billed month, from the months with these ids. */
export interface CarriedTraffic {
  ids: number[]
  amount: Hundredths
  /** Exclusive end of the latest of these months. Null if nothing is carried. */
  end: PlainDate | null
}

export async function readCarriedTraffic(
  db: DatabaseHandle,
  { companyId, serviceId }: ServiceKey,
  currency: Currency,
): Promise<CarriedTraffic> {
  const rows = await db
    .selectFrom('traffic')
    .select(['id', 'carried_out', 'period_end'])
    .where(hasValues({ company_id: companyId, service_id: serviceId, currency }))
    .where('carried_out', '>', '0')
    .where('carried_to', 'is', null)
    .orderBy('period_end')
    .execute()
  return {
    ids: rows.map(({ id }) => id),
    amount: rows.reduce((sum, { carried_out }) => sum + readAmount(carried_out), 0n),
    end: rows.at(-1)?.period_end ?? null,
  }
}

export async function markTrafficCarried(db: DatabaseHandle, ids: readonly number[], carriedTo: number): Promise<void> {
  if (ids.length === 0) return
  await db.updateTable('traffic').set({ carried_to: carriedTo }).where('id', 'in', ids).execute()
}
