/** Backups and months of traffic as rows, for tests that are not about how they come to be. */
import { type Insertable, sql } from 'kysely'
import { backupAmount } from '#domain/fees/backup.ts'
import { explainBackup, explainTraffic } from '#domain/fees/explain.ts'
import { trafficAmount } from '#domain/fees/traffic.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import type { BackupOrderTable, TrafficTable } from '#server/db/tables/backup-tables.ts'
import { insertBackup, insertTraffic } from '#server/db/hosting/backups.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { openMeter } from '#server/use-cases/hosting/traffic/meter.ts'
import { invoiceBackup, invoiceTraffic } from '#server/use-cases/payments/invoices.ts'
import type { TestServer } from '#tests/support/server/server.ts'

const system = { role: 'portal_system' } as const

const serviceOf = (db: Handle, code: string) =>
  db.selectFrom('service').select(['id', 'company_id']).where('code', '=', code).executeTakeFirstOrThrow()

const payment = (server: TestServer, id: number) => ({
  gateway: 'simulate',
  reference: `b${id}`,
  paidAt: server.clock.now,
})

export const serviceIdOf = (server: TestServer, code: string): Promise<number> =>
  inTransaction(server.app, system, async (db) => (await serviceOf(db, code)).id)

interface Wish extends Partial<Insertable<BackupOrderTable>> {
  months?: number
}

/** A year of pdb2s3 in HKD at 6000.00 with a tenth off, paid and invoiced, but for what is said otherwise. */
export const backupOf = (server: TestServer, code: string, { months = 12, ...fields }: Wish = {}): Promise<number> =>
  inTransaction(server.app, system, async (db) => {
    const { id: service_id, company_id } = await serviceOf(db, code)
    const given = {
      currency: 'HKD',
      pdb_type: 'pdb2s3',
      period: 1,
      period_type: 'year',
      period_start: '2026-03-02',
      period_end: '2027-03-02',
      annual: '6000.00',
      discount: '10.00',
      status: 1,
      ...fields,
    } as const
    const [annual, discount] = [readAmount(given.annual), readAmount(given.discount)]
    const { amount, payAmount } = backupAmount(annual, months, discount)
    const { period_start: start, period_end: end } = given
    const now = server.clock.now
    const id = await insertBackup(db, {
      company_id,
      service_id,
      service_code: code,
      price_id: 1,
      amount: writeAmount(amount),
      pay_amount: writeAmount(payAmount),
      steps: JSON.stringify(explainBackup({ annual, months, discount, start, end })),
      change: await takeChange(db, company_id),
      create_time: now,
      update_time: now,
      ...given,
    })
    if (given.status === 1 && payAmount > 0n)
      await invoiceBackup({ db, app: server.app, now }, company_id, id, payment(server, id))
    return id
  })

interface Measured extends Partial<Insertable<TrafficTable>> {
  isPaid?: boolean
}

/** 63 GB of March 2026 in HKD, 50 of them free, paid and invoiced, but for what is said otherwise. */
export const trafficOf = (
  server: TestServer,
  code: string,
  { isPaid = true, ...fields }: Measured = {},
): Promise<number> =>
  inTransaction(server.app, system, async (db) => {
    const { id: service_id, company_id } = await serviceOf(db, code)
    const given = {
      currency: 'HKD',
      period_end: '2026-04-01',
      pdb_traffic: '63.00',
      free: '50.00',
      price: '12.50',
      ...fields,
    } as const
    const [measured, free, price] = [readAmount(given.pdb_traffic), readAmount(given.free), readAmount(given.price)]
    const amount = writeAmount(trafficAmount(measured, free, price))
    const now = server.clock.now
    const id = await insertTraffic(db, {
      company_id,
      service_id,
      service_code: code,
      price_id: 1,
      amount,
      pay_date: isPaid ? '2026-04-05' : null,
      pay_amount: isPaid ? amount : null,
      steps: JSON.stringify(explainTraffic(measured, free, price)),
      change: await takeChange(db, company_id),
      create_time: now,
      update_time: now,
      ...given,
    })
    if (isPaid) await invoiceTraffic({ db, app: server.app, now }, company_id, id, payment(server, id))
    return id
  })

/** All price lists get these prices of backups; null: they have none any more. */
export const listPrices = (server: TestServer, prices: Record<string, string> | null): Promise<unknown> =>
  inTransaction(server.app, system, (db) =>
    (prices === null
      ? sql`update price_list set content = jsonb_set(content, '{pdbPrice}', 'null')`
      : sql`update price_list
          set content = jsonb_set(content, '{pdbPrice}', (content -> 'pdbPrice') || ${JSON.stringify(prices)}::jsonb)`
    ).execute(db),
  )

/** So many bytes move now, in one run of that name. */
export async function move(server: TestServer, code: string, bytes: number, run: string): Promise<void> {
  const { id: serviceId, company_id: companyId } = await inTransaction(server.app, system, (db) => serviceOf(db, code))
  const { meter, finish } = openMeter(server.app, { companyId, serviceId, run })
  await meter(bytes)
  await finish()
}
