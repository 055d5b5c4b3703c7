/** The demo world's own operations: what was paid for runs after the time that the portal names for it (contracts 4). */
import type { Handle } from '#server/db/handle.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import { showNewest } from '#server/db/orders/orders.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context.ts'
import { momentOf } from '#server/services/orders/business-time.ts'

/** "Wait for 3 to 5 minutes". */
const setUpMs = 180_000

/** Every service whose contract began and was made three minutes ago: it has an address, runs and answers. */
export const setUpServices = (app: AppContext): Promise<void> =>
  inTransaction(app, { role: 'portal_system' }, async (db) => {
    const now = app.clock()
    for (const { id, company_id, code } of await awaited(db, app, now)) {
      await db
        .updateTable('service')
        .set((row) => ({
          url: `https://www.${code}.m18.example/`,
          system_status: 2,
          online: 1,
          update_time: now,
          row_version: row('row_version', '+', 1),
        }))
        .where('id', '=', id)
        .execute()
      await showNewest(db, company_id, code, { change: await takeChange(db, company_id), time: now })
    }
  })

function awaited(db: Handle, app: AppContext, now: number) {
  const { today } = momentOf({ app, now })
  return db
    .selectFrom('service')
    .innerJoin('contract', (join) =>
      join
        .onRef('contract.service_code', '=', 'service.code')
        .onRef('contract.company_id', '=', 'service.company_id')
        .on('contract.overwritten', '=', false),
    )
    .select(['service.id', 'service.company_id', 'service.code'])
    .where('service.url', 'is', null)
    .where('contract.period_start', '<=', today)
    .where('contract.period_end', '>', today)
    .where('contract.create_time', '<=', now - setUpMs)
    .forUpdate('service')
    .execute()
}
