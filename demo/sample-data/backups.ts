/** The demo world's backups: paid, waiting to be paid and for nothing, with two months of traffic, as their own days made them. */
import { backupAmount, backupAnchor, backupPeriod } from '#domain/fees/backup.ts'
import { explainBackup, explainTraffic } from '#domain/fees/explain.ts'
import { trafficAmount } from '#domain/fees/traffic.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { addMonths, lastDay } from '#domain/period.ts'
import type { BackupPrices } from '#domain/fees/price-list.ts'
import { dateIn, startOfDay } from '#domain/time.ts'
import { insertBackup, insertTraffic } from '#server/db/hosting/backups.ts'
import { setNextRun } from '#server/db/hosting/planned-runs.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { priceListById } from '#server/db/catalogue/price-lists.ts'
import type { AppContext } from '#server/context/context.ts'
import { invoiceBackup, invoiceTraffic } from '#server/use-cases/payments/invoices.ts'

interface DemoBackup {
  /** Of the service. */
  code: string
  pdb_type: 'pdb2s3' | 'pdb2rds'
  period: number
  period_type: 'year' | 'month'
  /** Percent; else the list's. */
  discount?: string
  daysAgo: number
  status: -1 | 0 | 1
}

interface DemoTraffic {
  code: string
  /** How many months ago it ended; 0: with the last one. */
  monthsAgo: number
  measured: string
}

const backups: Readonly<Record<string, readonly DemoBackup[]>> = {
  acme: [
    { code: 'acmetrade', pdb_type: 'pdb2s3', period: 1, period_type: 'year', daysAgo: 190, status: 1 },
    // Longer than its contract, which cuts it (D21), and a gift of the provider.
    {
      code: 'acmetest',
      pdb_type: 'pdb2rds',
      period: 1,
      period_type: 'year',
      discount: '100.00',
      daysAgo: 40,
      status: 1,
    },
  ],
  globex: [{ code: 'globex01', pdb_type: 'pdb2rds', period: 5, period_type: 'month', daysAgo: 2, status: 0 }],
}

const traffics: Readonly<Record<string, readonly DemoTraffic[]>> = {
  acme: [
    { code: 'acmetrade', monthsAgo: 1, measured: '50.00' },
    { code: 'acmetrade', monthsAgo: 0, measured: '63.00' },
  ],
}

const dayMs = 86_400_000
/** After the world was made: its services have to be brought up first. */
const firstBackupMs = 20_000

interface Made {
  app: AppContext
  db: Handle
  companyId: number
  listId: number
  prices: BackupPrices
  now: number
}

/** As the system, behind the company's orders. */
export async function loadBackups(
  db: Handle,
  app: AppContext,
  { companyId, code, listId, now }: { companyId: number; code: string; listId: number; now: number },
): Promise<void> {
  const prices = (await priceListById(db, listId))?.content.pdbPrice
  if (!prices) throw new Error('the demo world has no prices of backups')
  const made = { app, db, companyId, listId, prices, now }
  for (const one of backups[code] ?? []) await loadBackup(made, one)
  for (const one of traffics[code] ?? []) await loadTraffic(made, one)
  // What was not measured is not billed by the clock.
  const last = lastDay(`${dateIn(app.config.timeZone, now).slice(0, 7)}-01`).slice(0, 7)
  await db.updateTable('service').set({ closed_month: last }).where('company_id', '=', companyId).execute()
}

/** The service, and the contract that it has. */
const serviceOf = ({ db, companyId }: Made, code: string) =>
  db
    .selectFrom('service')
    .innerJoin('contract', 'contract.service_code', 'service.code')
    .select(['service.id', 'contract.currency', 'contract.period_end'])
    .where('service.company_id', '=', companyId)
    .where('service.code', '=', code)
    .where('contract.overwritten', '=', false)
    .executeTakeFirstOrThrow()

async function loadBackup(made: Made, one: DemoBackup): Promise<void> {
  const { db, app, companyId, listId, prices, now } = made
  const service = await serviceOf(made, one.code)
  const at = now - one.daysAgo * dayMs
  const period = backupPeriod({
    today: dateIn(app.config.timeZone, at),
    present: null,
    contractEnd: service.period_end,
    period: one.period,
    unit: one.period_type,
  })
  if (!period) throw new Error(`the contract of ${one.code} is over`)
  const { start, end, months } = period
  const annual = readAmount(prices[`${one.pdb_type}_fee_${currencyOf(service)}`])
  const discount = readAmount(one.discount ?? prices[`${one.pdb_type}_discount`])
  const { amount, payAmount } = backupAmount(annual, months, discount)
  const anchor = backupAnchor(period, null)
  const id = await insertBackup(db, {
    company_id: companyId,
    service_id: service.id,
    service_code: one.code,
    price_id: listId,
    currency: service.currency,
    pdb_type: one.pdb_type,
    period: one.period,
    period_type: one.period_type,
    period_start: start,
    period_end: end,
    anchor_date: anchor?.date ?? null,
    anchor_months: anchor?.months ?? null,
    annual: writeAmount(annual),
    discount: writeAmount(discount),
    amount: writeAmount(amount),
    pay_amount: writeAmount(payAmount),
    status: one.status,
    steps: JSON.stringify(explainBackup({ annual, months, discount, start, end })),
    change: await takeChange(db, companyId),
    create_time: at,
    update_time: at,
  })
  if (one.status === 1) await setNextRun(db, service.id, one.pdb_type, now + firstBackupMs)
  // What costs nothing takes effect without a payment, and is not invoiced (D15).
  if (one.status === 1 && payAmount > 0n)
    await invoiceBackup({ db, app, now: at }, companyId, id, paidOn(`demo-backup-${id}`, at))
}

/** What is due of a month is paid on the fifth day of the next one, at noon. */
async function loadTraffic(made: Made, { code, monthsAgo, measured: gb }: DemoTraffic): Promise<void> {
  const { db, app, companyId, listId, prices, now } = made
  const { timeZone } = app.config
  const service = await serviceOf(made, code)
  const end = addMonths(`${dateIn(timeZone, now).slice(0, 7)}-01`, -monthsAgo)
  const paidAt = Math.min(now, startOfDay(timeZone, end) + 4.5 * dayMs)
  const [measured, free] = [readAmount(gb), readAmount(prices.pdb2s3_traffic)]
  const price = readAmount(prices[`pdb2s3_up_${currencyOf(service)}`])
  const amount = trafficAmount(measured, free, price)
  const isPaid = amount > 0n
  const id = await insertTraffic(db, {
    company_id: companyId,
    service_id: service.id,
    service_code: code,
    price_id: listId,
    currency: service.currency,
    period_end: end,
    pdb_traffic: writeAmount(measured),
    free: writeAmount(free),
    price: writeAmount(price),
    amount: writeAmount(amount),
    pay_date: isPaid ? dateIn(timeZone, paidAt) : null,
    pay_amount: isPaid ? writeAmount(amount) : null,
    steps: JSON.stringify(explainTraffic(measured, free, price)),
    change: await takeChange(db, companyId),
    create_time: paidAt,
    update_time: paidAt,
  })
  if (isPaid) await invoiceTraffic({ db, app, now: paidAt }, companyId, id, paidOn(`demo-traffic-${id}`, paidAt))
}

const paidOn = (reference: string, paidAt: number) => ({ gateway: 'simulate', reference, paidAt })

const currencyOf = ({ currency }: { currency: 'HKD' | 'USD' | 'RMB' }) =>
  currency.toLowerCase() as 'hkd' | 'usd' | 'rmb'
