/** Creates unpaid months of traffic. They cannot be ordered, so they are written into the database while no server uses it. */
import { sql } from 'kysely'
import { type Currency } from '#domain/money.ts'
import { addMonths } from '#domain/plain-dates.ts'
import type { AppContext } from '#server/context/context.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { insertTraffic } from '#server/db/hosting/backups.ts'

const demoService = { code: 'acmetrade', currency: 'HKD' as Currency, firstMonth: '1990-01-01', amount: '10.00' }

/** Writes months of one service from `firstMonth` on, each with the given amount. Uses the demo's service by default. Returns their ids. */
export const writeUnpaidTraffic = (
  { database }: Pick<AppContext, 'database'>,
  count: number,
  { code, currency, firstMonth, amount } = demoService,
): Promise<number[]> =>
  database.kysely.transaction().execute(async (db) => {
    await sql`set local role portal_system`.execute(db)
    const { id: service_id, company_id } = await db
      .selectFrom('service')
      .select(['id', 'company_id'])
      .where('code', '=', code)
      .executeTakeFirstOrThrow()
    const { id: price_id } = await db.selectFrom('price_list').select('id').limit(1).executeTakeFirstOrThrow()
    const now = Date.now()
    const trafficIds: number[] = []
    for (let index = 0; index < count; index++)
      trafficIds.push(
        await insertTraffic(db, {
          company_id,
          service_id,
          service_code: code,
          price_id,
          currency,
          period_end: addMonths(firstMonth, index),
          pdb_traffic: '51.00',
          free: '50.00',
          price: amount,
          amount,
          pay_date: null,
          pay_amount: null,
          steps: '[]',
          change: await takeChangeNumber(db, company_id),
          create_time: now,
          update_time: now,
        }),
      )
    return trafficIds
  })
