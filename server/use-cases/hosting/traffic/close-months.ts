/**
 * Billing the months that are over: one record a service and month, in order, in the transaction that closes the month, so that days
 * without a server, a kill, or a clock that jumps bill none twice and leave none out (D22, D23).
 */
import { trafficRates } from '#domain/fees/backup-prices.ts'
import { explainTraffic } from '#domain/fees/explain.ts'
import { gigabytes, monthOf, trafficAmount } from '#domain/fees/traffic.ts'
import { writeAmount } from '#domain/money.ts'
import { isBelowPayable } from '#domain/payments.ts'
import { lastDay } from '#domain/period.ts'
import { type BilledMonth, endOfMonth, monthIn, monthsToBill } from '#domain/traffic-months.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import { priceListById } from '#server/db/catalogue/price-lists.ts'
import type { Handle } from '#server/db/handle.ts'
import { insertTraffic } from '#server/db/hosting/backups.ts'
import { type ServiceRecord, serviceForUpdate, updateService } from '#server/db/hosting/services.ts'
import {
  carriedTraffic,
  closeMonths,
  markCarried,
  movedByMonth,
  newlyOverdue,
  type OverdueTraffic,
  servicesToBill,
  takeOverdue,
  type TrafficTerms,
  trafficTerms,
} from '#server/db/hosting/traffic.ts'
import { orderingUsers } from '#server/db/orders/reminders.ts'
import { touchListedOrder } from '#server/db/orders/unpaid-matters.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import type { TrafficMail } from '#server/use-cases/mail/mail-kinds.ts'
import { overdueBounds, settleSuspension } from '#server/use-cases/hosting/traffic/suspension.ts'
import { newJobId, notifyJobs } from '#server/use-cases/job-requests.ts'
import { askMail } from '#server/use-cases/mail/request-mail.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

const system = { role: 'portal_system' } as const

interface Work {
  db: Handle
  app: AppContext
  now: number
}

/** Bills what is over and suspends what is overdue. Answers how many records were made and how many services were suspended. */
export async function closeTraffic(app: AppContext): Promise<{ billed: number; overdue: number }> {
  const billed = await billMonths(app)
  const overdue = await tellOverdue(app)
  if (billed + overdue > 0) notifyJobs(app)
  return { billed, overdue }
}

async function billMonths(app: AppContext): Promise<number> {
  const { today } = momentOf({ app, now: app.clock() })
  // The month before the present one.
  const last = monthIn(lastDay(`${monthIn(today)}-01`))
  let billed = 0
  for (const { id, company_id } of await inTransaction(app, system, (db) => servicesToBill(db, last), 'reading')) {
    // One that cannot be billed keeps no other one from it.
    const made = await inTransaction(app, system, (db) =>
      billService({ db, app, now: app.clock() }, { serviceId: id, companyId: company_id }),
    ).catch((error: unknown) => {
      app.log.error({ err: error, service: id }, 'a month of traffic could not be billed')
      return 0
    })
    if (made > 0) announceServices(app, company_id)
    billed += made
  }
  return billed
}

/** Under the service's lock, which whoever adds bytes to a month takes as well. */
async function billService(
  work: Work,
  { serviceId, companyId }: { serviceId: number; companyId: number },
): Promise<number> {
  const { db, app, now } = work
  const change = await takeChange(db, companyId)
  const service = await serviceForUpdate(db, serviceId)
  if (service?.company_id !== companyId) return 0
  const { records, closed } = monthsToBill(
    {
      closed: service.closed_month,
      subscriptions: await trafficTerms(db, { companyId, serviceId }),
      moved: await movedByMonth(db, serviceId),
    },
    momentOf({ app, now }).today,
  )
  for (const record of records) await bill(work, service, { record, change })
  if (records.length > 0) await touchListedOrder(db, { companyId, code: service.code }, change)
  if (closed === null || closed === service.closed_month) return 0
  // Who has nothing to pay is shown nothing new.
  if (records.length === 0) await closeMonths(db, serviceId, closed)
  else await updateService(db, serviceId, { closed_month: closed }, now)
  return records.length
}

async function bill(
  { db, app, now }: Work,
  { id: service_id, company_id, code }: ServiceRecord,
  { record, change }: { record: BilledMonth<TrafficTerms>; change: number },
): Promise<void> {
  const { month, bytes, terms } = record
  const { free, price } = await ratesOf(db, terms)
  const measured = gigabytes(bytes)
  const { currency } = terms
  const carried = await carriedTraffic(db, { companyId: company_id, serviceId: service_id }, currency)
  const total = trafficAmount(measured, free, price) + carried.amount
  // Nobody can pay so little: it waits for the next month.
  const isCarriedOn = isBelowPayable(app.payments.types, currency, total)
  const amount = isCarriedOn ? 0n : total
  const from = carried.end === null ? null : monthOf(carried.end)
  const id = await insertTraffic(db, {
    company_id,
    service_id,
    service_code: code,
    price_id: terms.priceId,
    currency,
    period_end: endOfMonth(month),
    pdb_traffic: writeAmount(measured),
    free: writeAmount(free),
    price: writeAmount(price),
    amount: writeAmount(amount),
    carried_in: writeAmount(carried.amount),
    carried_from: from,
    carried_out: writeAmount(total - amount),
    pay_date: null,
    pay_amount: null,
    steps: JSON.stringify(explainTraffic(measured, free, price, { from, amount: carried.amount, isCarriedOn })),
    change,
    create_time: now,
    update_time: now,
  })
  await markCarried(db, carried.ids, id)
  if (amount > 0n) await mailAbout({ db, now }, { id, company_id }, 'traffic-due')
}

/** Of the list that the subscription was sold by: a price that was sold stays (D11). */
export async function ratesOf(db: Handle, { priceId, currency }: Pick<TrafficTerms, 'priceId' | 'currency'>) {
  const prices = (await priceListById(db, priceId))?.content.pdbPrice
  if (!prices) throw new Error('a backup was sold by a list without prices of backups')
  return trafficRates(prices, currency)
}

async function mailAbout(
  { db, now }: Pick<Work, 'db' | 'now'>,
  { id, company_id: companyId }: { id: number; company_id: number },
  mail: TrafficMail,
): Promise<void> {
  for (const userId of await orderingUsers(db, companyId))
    await askMail(db, { companyId, now }, { mail, userId, trafficId: id })
}

async function tellOverdue(app: AppContext): Promise<number> {
  const bounds = overdueBounds({ app, now: app.clock() })
  const found = await inTransaction(app, system, (db) => newlyOverdue(db, bounds), 'reading')
  let told = 0
  for (const traffic of found) {
    if (!(await inTransaction(app, system, (db) => suspend({ db, app, now: app.clock() }, traffic)))) continue
    announceServices(app, traffic.company_id)
    told += 1
  }
  return told
}

/** False: it was paid meanwhile, or another node was here. */
async function suspend(work: Work, traffic: OverdueTraffic): Promise<boolean> {
  const { db, now } = work
  if (!(await takeOverdue(db, traffic.id))) return false
  const { company_id: companyId, service_id: serviceId, service_code: ServiceCode } = traffic
  await mailAbout(work, traffic, 'traffic-overdue')
  const info = { ServiceCode, Month: monthOf(traffic.period_end), By: 'schedule' }
  const head = { companyId, userId: null, now, status: 0, intent: null, requestId: newJobId() } as const
  await addToTrail(db, head, [{ code: 'backup', operation: 'disable', info }])
  await settleSuspension(work, { companyId, serviceId })
  return true
}
