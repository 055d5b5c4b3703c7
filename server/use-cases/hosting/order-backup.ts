/** Orders a backup subscription at current prices, which ends with the contract at the latest (D16, D20, D21). */
import { findFieldChanges } from '#domain/audit-log/changes.ts'
import { type BackupType, type BackupOrderRefusal } from '#domain/backups.ts'
import {
  calculateBackupAmount,
  getBackupAnchor,
  type BackupPeriod,
  calculateBackupPeriod,
} from '#domain/fees/backup.ts'
import { type BackupRates, getBackupRates } from '#domain/fees/backup-prices.ts'
import { explainBackup, type FeeStep } from '#domain/fees/explain.ts'
import { type Hundredths, maxAmount, readAmount, writeAmount } from '#domain/money.ts'
import { isBelowPayable } from '#domain/payments.ts'
import type { PeriodAnchor } from '#domain/plain-dates.ts'
import type { orderBackup } from '#contract/backups.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { findPriceListInForce } from '#server/db/catalogue/price-lists.ts'
import * as rows from '#server/db/hosting/backups.ts'
import { findServiceRow, type ServiceListRow, touchService } from '#server/db/hosting/services.ts'
import { type ContractRecord, lockContract } from '#server/db/orders/contracts.ts'
import type { ChangeStamp } from '#server/db/orders/orders.ts'
import { touchListedOrder } from '#server/db/orders/unpaid-matters.ts'
import type { UseCase } from '#server/context/context.ts'
import { ProblemError, requireRow } from '#server/problems/problem-error.ts'
import { type ActingCompany, runForRow } from '#server/use-cases/orders/acting-company.ts'
import { notifyOfNewPayable } from '#server/use-cases/notifications/payable-details.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { requireType } from '#server/use-cases/orders/client-types.ts'
import { getStoredContractState } from '#server/use-cases/orders/order-terms.ts'
import { requirePayableAmount, createTooSmallError } from '#server/use-cases/payments/amount-limits.ts'
import { activateBackup } from '#server/use-cases/payments/payable-backups.ts'
import { requireNoPayment } from '#server/use-cases/payments/stop-payments.ts'

type OrderBackupInput = ParsedInputOf<typeof orderBackup>['body']

interface BackupTerms extends BackupRates {
  service: ServiceListRow
  contract: ContractRecord
  type: BackupType
  priceId: number
  period: BackupPeriod
  /** Date and months from which the next period is counted. Null if the contract's end shortens this period. */
  anchor: PeriodAnchor | null
  amount: Hundredths
  payAmount: Hundredths
  steps: FeeStep[]
}

const createRefusal = (reason: BackupOrderRefusal | 'noPriceList') =>
  new ProblemError('STATE_CONFLICT', { why: reason })

/** Throws NOT_FOUND, STATE_CONFLICT with the reason, QUOTE_CHANGED with both amounts, and the problems of an amount that cannot be paid. */
export const placeBackupOrder: UseCase<typeof orderBackup> = (context, { body }) =>
  runForRow(context, 'service', body.service_id, async (actingCompany, serviceId) => {
    const terms = await buildBackupTerms(actingCompany, serviceId, body)
    requirePayableAmount(context, { currency: terms.contract.currency, amount: terms.payAmount })
    requireSameBackupQuote(terms, body)
    return { body: { id: await insertOrder(actingCompany, terms, body) } }
  })

/** Locks the contract until the commit, so that two orders for one service run one after the other. */
async function buildBackupTerms(
  { context, companyId }: ActingCompany,
  serviceId: number,
  input: OrderBackupInput,
): Promise<BackupTerms> {
  const { db, caller } = context
  const moment = getBusinessMoment(context)
  const service = requireRow(await findServiceRow(db, companyId, serviceId))
  const contract = service.contract_id === null ? null : await lockContract(db, companyId, service.contract_id)
  if (!contract) throw createRefusal('noContract')
  requireType(caller, contract.client_type)
  if (getStoredContractState(contract, moment) !== 'effective') throw createRefusal('extendFirst')
  const priceList = await findPriceListInForce(db, contract.client_type, moment.today)
  if (!priceList) throw createRefusal('noPriceList')
  const prices = priceList.content.pdbPrice
  if (!prices) throw createRefusal('noPrice')
  const type = input.pdb_type
  const lastPeriod = await rows.findLastPaidPeriod(db, { companyId, serviceId }, type)
  const period = calculateBackupPeriod({
    today: moment.today,
    currentEnd: lastPeriod?.end ?? null,
    anchor: lastPeriod?.anchor ?? null,
    contractEnd: contract.period_end,
    period: input.period,
    unit: input.period_type,
  })
  if (!period) throw createRefusal('coveredToEnd')
  const rates = getBackupRates(prices, type, contract.currency)
  const { months, start, end } = period
  const steps = explainBackup({ ...rates, months, start, end })
  const amounts = calculateBackupAmount(rates.annualFee, months, rates.discount)
  if (amounts.amount > maxAmount) throw createRefusal('amountTooLarge')
  const anchor = getBackupAnchor(period, lastPeriod)
  return { service, contract, type, priceId: priceList.id, period, anchor, ...rates, ...amounts, steps }
}

/**
 * Throws QUOTE_CHANGED if the displayed price list or amount is not the current one (D17). A backup quote has no id, so an order with an id
 * is refused too.
 */
function requireSameBackupQuote(terms: BackupTerms, { quote_id, price_id, pay_amount }: OrderBackupInput): void {
  const { priceId, payAmount, period, contract, steps } = terms
  const isSame =
    quote_id === undefined &&
    (price_id ?? priceId) === priceId &&
    (pay_amount === undefined || readAmount(pay_amount) === payAmount)
  if (isSame) return
  const currentQuote = {
    price_id: priceId,
    currency: contract.currency,
    ...formatAmounts(terms),
    period_start: period.start,
    period_end: period.end,
    steps,
  }
  throw new ProblemError('QUOTE_CHANGED', {
    shown: { price_id: price_id ?? null, pay_amount: pay_amount ?? null },
    now: currentQuote,
  })
}

const formatAmounts = ({ annualFee: annual, discount, amount, payAmount }: BackupTerms) => ({
  annual: writeAmount(annual),
  discount: writeAmount(discount),
  amount: writeAmount(amount),
  pay_amount: writeAmount(payAmount),
})

/** Replaces an unpaid order of the same kind. If no amount is due, the new order takes effect immediately (D15). */
async function insertOrder(
  actingCompany: ActingCompany,
  terms: BackupTerms,
  { period, period_type }: OrderBackupInput,
): Promise<number> {
  const { context, companyId } = actingCompany
  const { db, now } = context
  const { service, contract, type } = terms
  const serviceRef = { companyId, serviceId: service.id }
  const waivedAmount = await getWaivedAmount(actingCompany, terms, serviceRef)
  const unpaidOrder = await rows.lockUnpaidBackup(db, serviceRef, type)
  const changeStamp = { change: await takeChangeNumber(db, companyId), time: now }
  if (unpaidOrder) await replaceUnpaid(actingCompany, unpaidOrder.id, changeStamp)
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
    ...formatAmounts(terms),
    ...(waivedAmount === null ? {} : { pay_amount: '0.00', waived: waivedAmount }),
    steps: JSON.stringify(terms.steps),
    status: 0,
    change: changeStamp.change,
    create_time: now,
    update_time: now,
  })
  await recordOrder(actingCompany, id)
  await touchListedOrder(db, { companyId, code: service.code }, changeStamp.change)
  const backup = { id, company_id: companyId, service_id: service.id, service_code: service.code, pdb_type: type }
  // The services' counter is locked last, because it stays locked until the commit.
  if (terms.payAmount === 0n || waivedAmount !== null) await activateBackup(context, backup, changeStamp)
  else {
    await notifyOfNewPayable(db, { companyId, callerId: context.caller.userId }, { kind: 'backup', id }, now)
    await touchService(db, companyId, service.code)
  }
  return id
}

/**
 * Returns an amount that is too small to be paid and so not charged, or null. Throws AMOUNT_TOO_SMALL if the waived amounts together could
 * be paid.
 */
async function getWaivedAmount(
  { context }: ActingCompany,
  { contract: { currency }, payAmount: amount, type }: BackupTerms,
  serviceRef: rows.ServiceKey,
): Promise<string | null> {
  const { app, db } = context
  const { types } = app.payments
  if (!isBelowPayable(types, currency, amount)) return null
  const waivedBefore = await rows.sumWaivedBackups(db, serviceRef, { type, today: getBusinessMoment(context).today })
  if (waivedBefore > 0n && !isBelowPayable(types, currency, waivedBefore + amount))
    throw createTooSmallError(context, { currency, amount })
  return writeAmount(amount)
}

/** Makes the unpaid order invalid. `requireNoPayment` first ends a payment that was started at a gateway. */
async function replaceUnpaid({ context }: ActingCompany, id: number, changeStamp: ChangeStamp): Promise<void> {
  await requireNoPayment(context, { kind: 'backup', id }, 'replace')
  await rows.updateBackup(context.db, id, { status: -1 }, changeStamp)
}

const auditFields = ['pdb_type', 'period', 'period_type', 'period_start', 'period_end', 'pay_amount'] as const

async function recordOrder({ context, companyId, info, log }: ActingCompany, id: number): Promise<void> {
  const backup = await rows.findBackupById(context.db, companyId, id)
  if (!backup) throw new Error('the ordered backup does not exist')
  context.setResultRow('backup', id, backup.row_version)
  const { currency, waived } = backup
  const orderInfo = {
    ServiceCode: backup.service_code,
    OrderId: id,
    Amount: `${currency} ${backup.pay_amount}`,
    ...(waived === null ? {} : { Waived: `${currency} ${waived}` }),
  }
  await context.audit({
    ...log,
    code: 'backup',
    operation: 'create',
    info: { ...info, ...orderInfo },
    changes: findFieldChanges(null, backup, auditFields),
  })
}
