/** Writes backups and months of traffic as rows, for tests that do not test their creation. */
import { type Insertable, sql } from 'kysely'
import { calculateBackupAmount } from '#domain/fees/backup.ts'
import { explainBackup, explainTraffic } from '#domain/fees/explain.ts'
import { calculateTrafficAmount } from '#domain/fees/traffic.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import type { BackupOrderTable, TrafficTable } from '#server/db/tables/backup-tables.ts'
import { insertBackup, insertTraffic } from '#server/db/hosting/backups.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { openMeter } from '#server/use-cases/hosting/traffic/meter.ts'
import { createBackupInvoice, createTrafficInvoice } from '#server/use-cases/payments/invoices.ts'
import type { TestServer } from '#tests/support/server/server.ts'

const system = { role: 'portal_system' } as const

const readService = (db: DatabaseHandle, code: string) =>
  db.selectFrom('service').select(['id', 'company_id']).where('code', '=', code).executeTakeFirstOrThrow()

const buildPayment = (server: TestServer, id: number) => ({
  gateway: 'simulate',
  reference: `b${id}`,
  paidAt: server.clock.now,
})

export const readServiceId = (server: TestServer, code: string): Promise<number> =>
  runInTransaction(server.app, system, async (db) => (await readService(db, code)).id)

interface BackupOrderInput extends Partial<Insertable<BackupOrderTable>> {
  months?: number
}

/** Creates a backup order. By default it is a year of pdb2s3 in HKD at 6000.00 with a discount of 10 %, paid and invoiced. */
export const createBackupOrder = (
  server: TestServer,
  code: string,
  { months = 12, ...fields }: BackupOrderInput = {},
): Promise<number> =>
  runInTransaction(server.app, system, async (db) => {
    const { id: service_id, company_id } = await readService(db, code)
    const order = {
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
    const [annual, discount] = [readAmount(order.annual), readAmount(order.discount)]
    const { amount, payAmount } = calculateBackupAmount(annual, months, discount)
    const { period_start: start, period_end: end } = order
    const now = server.clock.now
    const id = await insertBackup(db, {
      company_id,
      service_id,
      service_code: code,
      price_id: 1,
      amount: writeAmount(amount),
      pay_amount: writeAmount(payAmount),
      steps: JSON.stringify(explainBackup({ annualFee: annual, months, discount, start, end })),
      change: await takeChangeNumber(db, company_id),
      create_time: now,
      update_time: now,
      ...order,
    })
    if (order.status === 1 && payAmount > 0n)
      await createBackupInvoice({ db, app: server.app, now }, company_id, id, buildPayment(server, id))
    return id
  })

interface TrafficInput extends Partial<Insertable<TrafficTable>> {
  isPaid?: boolean
}

/** Creates a month of traffic. By default it is 63 GB of March 2026 in HKD, of which 50 are free, paid and invoiced. */
export const createTraffic = (
  server: TestServer,
  code: string,
  { isPaid = true, ...fields }: TrafficInput = {},
): Promise<number> =>
  runInTransaction(server.app, system, async (db) => {
    const { id: service_id, company_id } = await readService(db, code)
    const traffic = {
      currency: 'HKD',
      period_end: '2026-04-01',
      pdb_traffic: '63.00',
      free: '50.00',
      price: '12.50',
      ...fields,
    } as const
    const [measuredTraffic, free, price] = [
      readAmount(traffic.pdb_traffic),
      readAmount(traffic.free),
      readAmount(traffic.price),
    ]
    const amount = writeAmount(calculateTrafficAmount(measuredTraffic, free, price))
    const now = server.clock.now
    const id = await insertTraffic(db, {
      company_id,
      service_id,
      service_code: code,
      price_id: 1,
      amount,
      pay_date: isPaid ? '2026-04-05' : null,
      pay_amount: isPaid ? amount : null,
      steps: JSON.stringify(explainTraffic(measuredTraffic, free, price)),
      change: await takeChangeNumber(db, company_id),
      create_time: now,
      update_time: now,
      ...traffic,
    })
    if (isPaid) await createTrafficInvoice({ db, app: server.app, now }, company_id, id, buildPayment(server, id))
    return id
  })

/** Sets the backup prices of all price lists. Null removes them. */
export const setBackupPrices = (server: TestServer, prices: Record<string, string> | null): Promise<unknown> =>
  runInTransaction(server.app, system, (db) =>
    (prices === null
      ? sql`update price_list set content = jsonb_set(content, '{pdbPrice}', 'null')`
      : sql`update price_list
          set content = jsonb_set(content, '{pdbPrice}', (content -> 'pdbPrice') || ${JSON.stringify(prices)}::jsonb)`
    ).execute(db),
  )

export async function recordTraffic(server: TestServer, code: string, bytes: number, run: string): Promise<void> {
  const { id: serviceId, company_id: companyId } = await runInTransaction(server.app, system, (db) =>
    readService(db, code),
  )
  const { meter, finish } = openMeter(server.app, { companyId, serviceId, run })
  await meter(bytes)
  await finish()
}
