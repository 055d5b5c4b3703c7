/** Subscribing a service to backups: for the rest of its contract at most, at the prices of today (D16, D20, D21). */
import { fieldChanges } from '#domain/audit-log/changes.ts'
import { type BackupType, type OrderRefusal } from '#domain/backups.ts'
import { backupAmount, backupAnchor, type BackupPeriod, backupPeriod } from '#domain/fees/backup.ts'
import { type BackupRates, backupRates } from '#domain/fees/backup-prices.ts'
import { explainBackup, type Step } from '#domain/fees/explain.ts'
import { type Hundredths, maxAmount, readAmount, writeAmount } from '#domain/money.ts'
import { isBelowPayable } from '#domain/payments.ts'
import type { PeriodAnchor } from '#domain/period.ts'
import type { orderBackup } from '#contract/backups.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import { priceListInForce } from '#server/db/catalogue/price-lists.ts'
import * as rows from '#server/db/hosting/backups.ts'
import { serviceRowById, type ServiceRow, touchService } from '#server/db/hosting/services.ts'
import { type ContractRecord, contractForUpdate } from '#server/db/orders/contracts.ts'
import type { Stamp } from '#server/db/orders/orders.ts'
import { touchListedOrder } from '#server/db/orders/unpaid-matters.ts'
import type { UseCase } from '#server/context/context.ts'
import { notFound, ProblemError } from '#server/problems/problem-error.ts'
import { type ActingCompany, forRow } from '#server/use-cases/orders/acting-company.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { requireType } from '#server/use-cases/orders/client-types.ts'
import { contractStateOf } from '#server/use-cases/orders/order-terms.ts'
import { requirePayable, tooSmall } from '#server/use-cases/payments/amount-limits.ts'
import { subscribe } from '#server/use-cases/payments/payable-backups.ts'
import { requireNoPayment } from '#server/use-cases/payments/stop-payments.ts'

type Wish = ParsedInputOf<typeof orderBackup>['body']

interface Terms extends BackupRates {
  service: ServiceRow
  contract: ContractRecord
  type: BackupType
  priceId: number
  period: BackupPeriod
  /** From where the next one counts. */
  anchor: PeriodAnchor | null
  amount: Hundredths
  payAmount: Hundredths
  steps: Step[]
}

const refused = (why: OrderRefusal | 'noPriceList') => new ProblemError('STATE_CONFLICT', { why })

/** Throws NOT_FOUND, STATE_CONFLICT with why, and QUOTE_CHANGED with both figures. */
export const order: UseCase<typeof orderBackup> = (context, { body }) =>
  forRow(context, 'service', body.service_id, async (desk, serviceId) => {
    const terms = await termsOf(desk, serviceId, body)
    requirePayable(context, { currency: terms.contract.currency, amount: terms.payAmount })
    requireShown(terms, body)
    return { body: { id: await place(desk, terms, body) } }
  })

/** The contract stays as it is until the commit: two orders of one service take turns. */
async function termsOf({ context, companyId }: ActingCompany, serviceId: number, wish: Wish): Promise<Terms> {
  const { db, caller } = context
  const moment = momentOf(context)
  const service = await serviceRowById(db, companyId, serviceId)
  if (!service) throw notFound()
  const contract = service.contract_id === null ? null : await contractForUpdate(db, companyId, service.contract_id)
  if (!contract) throw refused('noContract')
  requireType(caller, contract.client_type)
  if (contractStateOf(contract, moment) !== 'effective') throw refused('extendFirst')
  const list = await priceListInForce(db, contract.client_type, moment.today)
  if (!list) throw refused('noPriceList')
  const prices = list.content.pdbPrice
  if (!prices) throw refused('noPrice')
  const type = wish.pdb_type
  const last = await rows.lastPaidPeriod(db, { companyId, serviceId }, type)
  const period = backupPeriod({
    today: moment.today,
    present: last?.end ?? null,
    anchor: last?.anchor ?? null,
    contractEnd: contract.period_end,
    period: wish.period,
    unit: wish.period_type,
  })
  if (!period) throw refused('coveredToEnd')
  const rates = backupRates(prices, type, contract.currency)
  const { months, start, end } = period
  const steps = explainBackup({ ...rates, months, start, end })
  const amounts = backupAmount(rates.annual, months, rates.discount)
  if (amounts.amount > maxAmount) throw refused('amountTooLarge')
  const anchor = backupAnchor(period, last)
  return { service, contract, type, priceId: list.id, period, anchor, ...rates, ...amounts, steps }
}

/** As quotes of orders are compared (D17). No quote of a backup has an id: one that bears any was not shown by us. */
function requireShown(terms: Terms, { quote_id, price_id, pay_amount }: Wish): void {
  const { priceId, payAmount, period, contract, steps } = terms
  const isSame =
    quote_id === undefined &&
    (price_id ?? priceId) === priceId &&
    (pay_amount === undefined || readAmount(pay_amount) === payAmount)
  if (isSame) return
  const now = {
    price_id: priceId,
    currency: contract.currency,
    ...amountsOf(terms),
    period_start: period.start,
    period_end: period.end,
    steps,
  }
  throw new ProblemError('QUOTE_CHANGED', {
    shown: { price_id: price_id ?? null, pay_amount: pay_amount ?? null },
    now,
  })
}

const amountsOf = ({ annual, discount, amount, payAmount }: Terms) => ({
  annual: writeAmount(annual),
  discount: writeAmount(discount),
  amount: writeAmount(amount),
  pay_amount: writeAmount(payAmount),
})

/** Writes it, in the place of one of its kind that was not paid; where nothing is due it takes effect at once (D15). */
async function place(desk: ActingCompany, terms: Terms, { period, period_type }: Wish): Promise<number> {
  const { context, companyId } = desk
  const { db, now } = context
  const { service, contract, type } = terms
  const of = { companyId, serviceId: service.id }
  const waived = await waivedAmountOf(desk, terms, of)
  const former = await rows.unpaidBackup(db, of, type)
  const stamp = { change: await takeChange(db, companyId), time: now }
  if (former) await replace(desk, former.id, stamp)
  const id = await rows.insertBackup(db, {
    company_id: companyId,
    service_id: service.id,
    service_code: service.code,
    price_id: terms.priceId,
    currency: contract.currency,
    pdb_type: type,
    period,
    period_type,
    period_start: terms.period.start,
    period_end: terms.period.end,
    anchor_date: terms.anchor?.date ?? null,
    anchor_months: terms.anchor?.months ?? null,
    ...amountsOf(terms),
    ...(waived === null ? {} : { pay_amount: '0.00', waived }),
    steps: JSON.stringify(terms.steps),
    status: 0,
    change: stamp.change,
    create_time: now,
    update_time: now,
  })
  await note(desk, id)
  await touchListedOrder(db, { companyId, code: service.code }, stamp.change)
  const made = { id, company_id: companyId, service_id: service.id, service_code: service.code, pdb_type: type }
  // Services last: their counter stays locked until the commit.
  if (terms.payAmount === 0n || waived !== null) await subscribe(context, made, stamp)
  else await touchService(db, companyId, service.code)
  return id
}

/**
 * What nobody can pay because it is so little is not charged. Throws AMOUNT_TOO_SMALL where that adds up to more by month after month:
 * a longer period can be paid.
 */
async function waivedAmountOf(
  { context }: ActingCompany,
  { contract: { currency }, payAmount: amount, type }: Terms,
  of: rows.OfService,
): Promise<string | null> {
  const { app, db } = context
  const { types } = app.payments
  if (!isBelowPayable(types, currency, amount)) return null
  const before = await rows.waivedBackups(db, of, { type, today: momentOf(context).today })
  if (before > 0n && !isBelowPayable(types, currency, before + amount)) throw tooSmall(context, { currency, amount })
  return writeAmount(amount)
}

/** What was begun for it at a gateway is ended first. */
async function replace({ context }: ActingCompany, id: number, stamp: Stamp): Promise<void> {
  await requireNoPayment(context, { kind: 'backup', id }, 'replace')
  await rows.updateBackup(context.db, id, { status: -1 }, stamp)
}

const facts = ['pdb_type', 'period', 'period_type', 'period_start', 'period_end', 'pay_amount'] as const

async function note({ context, companyId, info, log }: ActingCompany, id: number): Promise<void> {
  const made = await rows.backupById(context.db, companyId, id)
  if (!made) throw new Error('a backup that was just ordered is not there')
  context.setResultRow('backup', id, made.row_version)
  const { currency, waived } = made
  const said = {
    ServiceCode: made.service_code,
    OrderId: id,
    Amount: `${currency} ${made.pay_amount}`,
    ...(waived === null ? {} : { Waived: `${currency} ${waived}` }),
  }
  await context.audit({
    ...log,
    code: 'backup',
    operation: 'create',
    info: { ...info, ...said },
    changes: fieldChanges(null, made, facts),
  })
}
