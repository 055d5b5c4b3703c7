/**
 * Bills past months in the transaction that closes them. So no month is billed twice or left out, even after days without a server, a kill
 * or a clock that jumps (D22, D23).
 */
import { getTrafficRates } from '#domain/fees/backup-prices.ts'
import { explainTraffic } from '#domain/fees/explain.ts'
import { toGigabytes, getTrafficMonth, calculateTrafficAmount } from '#domain/fees/traffic.ts'
import { writeAmount } from '#domain/money.ts'
import { isBelowPayable } from '#domain/payments.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { type BilledMonth, getEndOfMonth, toMonth, findMonthsToBill } from '#domain/traffic-months.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { findPriceListById } from '#server/db/catalogue/price-lists.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { insertTraffic } from '#server/db/hosting/backups.ts'
import { type ServiceRecord, lockService, updateService } from '#server/db/hosting/services.ts'
import {
  readCarriedTraffic,
  closeMonths,
  markTrafficCarried,
  sumTrafficByMonth,
  listNewlyOverdueTraffic,
  type OverdueTraffic,
  listServicesToBill,
  claimOverdueNotice,
  type TrafficTerms,
  listTrafficTerms,
} from '#server/db/hosting/traffic.ts'
import { listOrderingUsers } from '#server/db/orders/reminders.ts'
import { touchListedOrder } from '#server/db/orders/unpaid-matters.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import type { TrafficMail } from '#server/use-cases/mail/mail-kinds.ts'
import { getOverdueBounds, settleSuspension } from '#server/use-cases/hosting/traffic/suspension.ts'
import { createJobId, notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

interface BillingContext {
  db: DatabaseHandle
  app: AppContext
  now: number
}

export async function closeTraffic(app: AppContext): Promise<{ billed: number; overdue: number }> {
  const billedCount = await billMonths(app)
  const suspendedCount = await suspendOverdue(app)
  if (billedCount + suspendedCount > 0) notifyJobs(app)
  return { billed: billedCount, overdue: suspendedCount }
}

async function billMonths(app: AppContext): Promise<number> {
  const { today } = getBusinessMoment({ app, now: app.clock() })
  const lastMonth = toMonth(getLastDay(`${toMonth(today)}-01`))
  let billedCount = 0
  for (const { id, company_id } of await readAsSystem(app, (db) => listServicesToBill(db, lastMonth))) {
    // A service that cannot be billed does not prevent the billing of the others.
    const recordCount = await writeAsSystem(app, (db) =>
      billService({ db, app, now: app.clock() }, { serviceId: id, companyId: company_id }),
    ).catch((error: unknown) => {
      app.log.error({ event: 'traffic_billing_failed', err: error, service: id }, 'could not bill a month of traffic')
      return 0
    })
    if (recordCount > 0) announceServices(app, company_id)
    billedCount += recordCount
  }
  return billedCount
}

/** Runs under the service's lock. Adding traffic to a month takes the same lock. */
async function billService(
  context: BillingContext,
  { serviceId, companyId }: { serviceId: number; companyId: number },
): Promise<number> {
  const { db, app, now } = context
  const change = await takeChangeNumber(db, companyId)
  const service = await lockService(db, serviceId)
  if (service?.company_id !== companyId) return 0
  const { records, closedMonth } = findMonthsToBill(
    {
      closedMonth: service.closed_month,
      subscriptions: await listTrafficTerms(db, { companyId, serviceId }),
      bytesByMonth: await sumTrafficByMonth(db, serviceId),
    },
    getBusinessMoment({ app, now }).today,
  )
  for (const record of records) await billMonth(context, service, { record, change })
  if (records.length > 0) await touchListedOrder(db, { companyId, code: service.code }, change)
  if (closedMonth === null || closedMonth === service.closed_month) return 0
  // If nothing is due, the row is not marked as changed, so clients do not fetch it again.
  if (records.length === 0) await closeMonths(db, serviceId, closedMonth)
  else await updateService(db, serviceId, { closed_month: closedMonth }, now)
  return records.length
}

async function billMonth(
  { db, app, now }: BillingContext,
  { id: service_id, company_id, code }: ServiceRecord,
  { record, change }: { record: BilledMonth<TrafficTerms>; change: number },
): Promise<void> {
  const { month, bytes, subscription: terms } = record
  const { free: freeTraffic, price } = await readTrafficRates(db, terms)
  const measuredTraffic = toGigabytes(bytes)
  const { currency } = terms
  const carriedBalance = await readCarriedTraffic(db, { companyId: company_id, serviceId: service_id }, currency)
  const total = calculateTrafficAmount(measuredTraffic, freeTraffic, price) + carriedBalance.amount
  // An amount that is too small to be paid is carried forward to the next month.
  const isCarriedForward = isBelowPayable(app.payments.types, currency, total)
  const amount = isCarriedForward ? 0n : total
  const carriedFrom = carriedBalance.end === null ? null : getTrafficMonth(carriedBalance.end)
  const id = await insertTraffic(db, {
    company_id,
    service_id,
    service_code: code,
    price_id: terms.priceId,
    currency,
    period_end: getEndOfMonth(month),
    pdb_traffic: writeAmount(measuredTraffic),
    free: writeAmount(freeTraffic),
    price: writeAmount(price),
    amount: writeAmount(amount),
    carried_in: writeAmount(carriedBalance.amount),
    carried_from: carriedFrom,
    carried_out: writeAmount(total - amount),
    pay_date: null,
    pay_amount: null,
    steps: JSON.stringify(
      explainTraffic(measuredTraffic, freeTraffic, price, {
        from: carriedFrom,
        amount: carriedBalance.amount,
        isCarriedOn: isCarriedForward,
      }),
    ),
    change,
    create_time: now,
    update_time: now,
  })
  await markTrafficCarried(db, carriedBalance.ids, id)
  if (amount > 0n) await mailTrafficNotice({ db, now }, { id, company_id }, 'traffic-due')
}

/** Returns the rates of the price list by which the subscription was sold, because a sold price stays valid (D11). */
export async function readTrafficRates(
  db: DatabaseHandle,
  { priceId, currency }: Pick<TrafficTerms, 'priceId' | 'currency'>,
) {
  const prices = (await findPriceListById(db, priceId))?.content.pdbPrice
  if (!prices) throw new Error('the price list of the backup has no backup prices')
  return getTrafficRates(prices, currency)
}

async function mailTrafficNotice(
  { db, now }: Pick<BillingContext, 'db' | 'now'>,
  { id, company_id: companyId }: { id: number; company_id: number },
  mail: TrafficMail,
): Promise<void> {
  for (const userId of await listOrderingUsers(db, companyId))
    await requestMail(db, { companyId, now }, { mail, userId, trafficId: id })
}

async function suspendOverdue(app: AppContext): Promise<number> {
  const bounds = getOverdueBounds({ app, now: app.clock() })
  const overdueRecords = await readAsSystem(app, (db) => listNewlyOverdueTraffic(db, bounds))
  let suspendedCount = 0
  for (const traffic of overdueRecords) {
    if (!(await writeAsSystem(app, (db) => suspendBackups({ db, app, now: app.clock() }, traffic)))) continue
    announceServices(app, traffic.company_id)
    suspendedCount += 1
  }
  return suspendedCount
}

/** Returns false if the traffic was paid meanwhile, or another node was first. */
async function suspendBackups(context: BillingContext, traffic: OverdueTraffic): Promise<boolean> {
  const { db, now } = context
  if (!(await claimOverdueNotice(db, traffic.id))) return false
  const { company_id: companyId, service_id: serviceId, service_code: ServiceCode } = traffic
  await mailTrafficNotice(context, traffic, 'traffic-overdue')
  const info = { ServiceCode, Month: getTrafficMonth(traffic.period_end), By: 'schedule' }
  const entryHeader = { companyId, userId: null, now, status: 0, intent: null, requestId: createJobId() } as const
  await addAuditEntries(db, entryHeader, [{ code: 'backup', operation: 'disable', info }])
  await settleSuspension(context, { companyId, serviceId })
  return true
}
