/** Loads a paid, an unpaid and a free backup, and two months of traffic. Each is calculated as of its own day. */
import { calculateBackupAmount, getBackupAnchor, calculateBackupPeriod } from '#domain/fees/backup.ts'
import { explainBackup, explainTraffic } from '#domain/fees/explain.ts'
import { calculateTrafficAmount } from '#domain/fees/traffic.ts'
import { type Currency, readAmount, writeAmount } from '#domain/money.ts'
import { addMonths, getLastDay } from '#domain/plain-dates.ts'
import type { BackupPrices } from '#domain/fees/price-list.ts'
import { toPlainDate, getStartOfDay } from '#domain/time.ts'
import { insertBackup, insertTraffic } from '#server/db/hosting/backups.ts'
import { setNextRun } from '#server/db/hosting/planned-runs.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findPriceListById } from '#server/db/catalogue/price-lists.ts'
import type { AppContext } from '#server/context/context.ts'
import { insertPayment } from '#server/db/payments/payments.ts'
import { createBackupInvoice, createTrafficInvoice } from '#server/use-cases/payments/invoices.ts'

interface DemoBackup {
  code: string
  pdb_type: 'pdb2s3' | 'pdb2rds'
  period: number
  period_type: 'year' | 'month'
  /** Discount in percent. If missing, the discount of the price list is used. */
  discount?: string
  daysAgo: number
  status: -1 | 0 | 1
}

interface DemoTraffic {
  code: string
  /** Number of months before the previous month; 0 is the previous month. */
  monthsAgo: number
  measured: string
}

const backups: Readonly<Record<string, readonly DemoBackup[]>> = {
  acme: [
    { code: 'acmetrade', pdb_type: 'pdb2s3', period: 1, period_type: 'year', daysAgo: 190, status: 1 },
    // This backup is ordered for longer than its contract, which limits it (D21). The provider grants it for free.
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

/** Acme also owes a change in HKD, so the two can be paid together (decision 110). */
const owedBackup: DemoBackup = {
  code: 'acmetrade',
  pdb_type: 'pdb2rds',
  period: 6,
  period_type: 'month',
  daysAgo: 1,
  status: 0,
}

const traffics: Readonly<Record<string, readonly DemoTraffic[]>> = {
  acme: [
    { code: 'acmetrade', monthsAgo: 1, measured: '50.00' },
    { code: 'acmetrade', monthsAgo: 0, measured: '63.00' },
  ],
}

const dayMs = 86_400_000
/** Delay in ms after loading until the first backup runs. The services have to be started first. */
const firstBackupMs = 20_000

interface BackupContext {
  app: AppContext
  db: DatabaseHandle
  companyId: number
  listId: number
  prices: BackupPrices
  now: number
}

/** Runs as the system role, after the company's orders are loaded. */
export async function loadBackups(
  db: DatabaseHandle,
  app: AppContext,
  { companyId, code, listId, now }: { companyId: number; code: string; listId: number; now: number },
): Promise<void> {
  const context = { app, db, companyId, listId, prices: await getBackupPrices(db, listId), now }
  for (const backup of backups[code] ?? []) await loadBackup(context, backup)
  for (const traffic of traffics[code] ?? []) await loadTraffic(context, traffic)
  // The months up to the previous one are closed, so that the scheduled job does not bill months without measurements.
  const lastMonth = getLastDay(`${toPlainDate(app.config.timeZone, now).slice(0, 7)}-01`).slice(0, 7)
  await db.updateTable('service').set({ closed_month: lastMonth }).where('company_id', '=', companyId).execute()
}

/** Loads an unpaid backup of Acme. Only the demo has it: tests load the companies without it, and count what they owe. */
export async function loadOwedBackup(
  db: DatabaseHandle,
  app: AppContext,
  { listId, now }: { listId: number; now: number },
): Promise<void> {
  const { id: companyId } = await db
    .selectFrom('company')
    .select('id')
    .where('code', '=', 'acme')
    .executeTakeFirstOrThrow()
  await loadBackup({ app, db, companyId, listId, prices: await getBackupPrices(db, listId), now }, owedBackup)
}

async function getBackupPrices(db: DatabaseHandle, listId: number): Promise<BackupPrices> {
  const prices = (await findPriceListById(db, listId))?.content.pdbPrice
  if (!prices) throw new Error('the price list of the demo data has no backup prices')
  return prices
}

const findService = ({ db, companyId }: BackupContext, code: string) =>
  db
    .selectFrom('service')
    .innerJoin('contract', 'contract.service_code', 'service.code')
    .select(['service.id', 'contract.currency', 'contract.period_end'])
    .where('service.company_id', '=', companyId)
    .where('service.code', '=', code)
    .where('contract.overwritten', '=', false)
    .executeTakeFirstOrThrow()

async function loadBackup(context: BackupContext, backup: DemoBackup): Promise<void> {
  const { db, app, companyId, listId, prices, now } = context
  const service = await findService(context, backup.code)
  const orderedAt = now - backup.daysAgo * dayMs
  const period = calculateBackupPeriod({
    today: toPlainDate(app.config.timeZone, orderedAt),
    currentEnd: null,
    contractEnd: service.period_end,
    period: backup.period,
    unit: backup.period_type,
  })
  if (!period) throw new Error(`the contract of ${backup.code} has ended`)
  const { start, end, months } = period
  const annual = readAmount(prices[`${backup.pdb_type}_fee_${toCurrencyKey(service)}`])
  const discount = readAmount(backup.discount ?? prices[`${backup.pdb_type}_discount`])
  const { amount, payAmount } = calculateBackupAmount(annual, months, discount)
  const anchor = getBackupAnchor(period, null)
  const id = await insertBackup(db, {
    company_id: companyId,
    service_id: service.id,
    service_code: backup.code,
    price_id: listId,
    currency: service.currency,
    pdb_type: backup.pdb_type,
    period: backup.period,
    period_type: backup.period_type,
    period_start: start,
    period_end: end,
    anchor_date: anchor?.date ?? null,
    anchor_months: anchor?.months ?? null,
    annual: writeAmount(annual),
    discount: writeAmount(discount),
    amount: writeAmount(amount),
    pay_amount: writeAmount(payAmount),
    status: backup.status,
    steps: JSON.stringify(explainBackup({ annualFee: annual, months, discount, start, end })),
    change: await takeChangeNumber(db, companyId),
    create_time: orderedAt,
    update_time: orderedAt,
  })
  if (backup.status === 1) await setNextRun(db, service.id, backup.pdb_type, now + firstBackupMs)
  // A free backup takes effect without a payment and is not invoiced (D15).
  if (backup.status === 1 && payAmount > 0n)
    await createBackupInvoice(
      { db, app, now: orderedAt },
      companyId,
      id,
      await recordPayment(context, {
        subject: { backup_order_id: id },
        reference: `demo-backup-${id}`,
        amount: writeAmount(payAmount),
        currency: service.currency,
        paidAt: orderedAt,
      }),
    )
}

/** Loads the traffic of one month. It is paid at noon on the fifth day of the next month. */
async function loadTraffic(
  context: BackupContext,
  { code, monthsAgo, measured: measuredGb }: DemoTraffic,
): Promise<void> {
  const { db, app, companyId, listId, prices, now } = context
  const { timeZone } = app.config
  const service = await findService(context, code)
  const end = addMonths(`${toPlainDate(timeZone, now).slice(0, 7)}-01`, -monthsAgo)
  const paidAt = Math.min(now, getStartOfDay(timeZone, end) + 4.5 * dayMs)
  const [measuredTraffic, freeTraffic] = [readAmount(measuredGb), readAmount(prices.pdb2s3_traffic)]
  const price = readAmount(prices[`pdb2s3_up_${toCurrencyKey(service)}`])
  const amount = calculateTrafficAmount(measuredTraffic, freeTraffic, price)
  const isPaid = amount > 0n
  const id = await insertTraffic(db, {
    company_id: companyId,
    service_id: service.id,
    service_code: code,
    price_id: listId,
    currency: service.currency,
    period_end: end,
    pdb_traffic: writeAmount(measuredTraffic),
    free: writeAmount(freeTraffic),
    price: writeAmount(price),
    amount: writeAmount(amount),
    pay_date: isPaid ? toPlainDate(timeZone, paidAt) : null,
    pay_amount: isPaid ? writeAmount(amount) : null,
    steps: JSON.stringify(explainTraffic(measuredTraffic, freeTraffic, price)),
    change: await takeChangeNumber(db, companyId),
    create_time: paidAt,
    update_time: paidAt,
  })
  if (isPaid)
    await createTrafficInvoice(
      { db, app, now: paidAt },
      companyId,
      id,
      await recordPayment(context, {
        subject: { traffic_id: id },
        reference: `demo-traffic-${id}`,
        amount: writeAmount(amount),
        currency: service.currency,
        paidAt,
      }),
    )
}

interface DemoPayment {
  subject: { backup_order_id: number } | { traffic_id: number }
  reference: string
  amount: string
  currency: Currency
  paidAt: number
}

/** Every invoice has a payment, so that the check of all money finds no fault. */
async function recordPayment(
  { db, companyId }: Pick<BackupContext, 'db' | 'companyId'>,
  { subject, reference, amount, currency, paidAt }: DemoPayment,
) {
  const gateway = 'simulate'
  await insertPayment(db, {
    company_id: companyId,
    ...subject,
    gateway,
    reference,
    amount,
    currency,
    paid_at: paidAt,
    outcome: 'applied',
    create_time: paidAt,
  })
  return { gateway, reference, paidAt }
}

const toCurrencyKey = ({ currency }: { currency: 'HKD' | 'USD' | 'RMB' }) =>
  currency.toLowerCase() as 'hkd' | 'usd' | 'rmb'
