/** Service orders: listed, read, made, deleted (contracts 4, D30 to D39). */
import { fieldChanges } from '#domain/audit-log/changes.ts'
import { adminUrlOf } from '#domain/checks/entrance.ts'
import { dueOf, dueWithin, stateOf, statusNumber, whyNotContract } from '#domain/contracts.ts'
import { inDueOrder, toDue } from '#domain/dues.ts'
import { explain } from '#domain/fees/explain.ts'
import { isDate, lastDay, yearsBetween } from '#domain/period.ts'
import { tidyText } from '#domain/text.ts'
import { type PlainDate, startOfDay, type Timestamp, timestampIn } from '#domain/time.ts'
import type { Id, OutputOf } from '#contract/endpoint.ts'
import type { createOrder, deleteOrder, getOrder, listOrders, setAlertDate } from '#contract/orders.ts'
import { changeOf, takeChange } from '#server/db/change-numbers.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import * as orders from '#server/db/orders/orders.ts'
import type { AgreedRow } from '#server/db/tables/order-tables.ts'
import { settleCode, takeCode } from '#server/db/orders/service-codes.ts'
import type { UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { invalid, notFound, ProblemError } from '#server/problems/problem-error.ts'
import { quotas } from '#server/use-cases/quotas.ts'
import { type ActingCompany, asCompany, forRow } from '#server/use-cases/orders/acting-company.ts'
import { requireType, visibleTypes } from '#server/use-cases/orders/client-types.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { undoUntil } from '#server/use-cases/orders/undo-until.ts'
import { takeEffect } from '#server/use-cases/payments/payable-orders.ts'
import { requireNoPayment } from '#server/use-cases/payments/stop-payments.ts'
import { amountsOf, requireShown, waivedAmountOf } from '#server/use-cases/orders/quotes.ts'
import { serviceCodeOf, type Terms, termsOfCreation } from '#server/use-cases/orders/order-terms.ts'
import { requireVersion } from '#server/use-cases/if-match.ts'

type Row = OutputOf<typeof getOrder>

export function orderRowOf({ config }: AppContext, record: orders.OrderRecord, { now }: Moment): Row {
  const state = stateOf(record, now)
  const { service } = record
  const dues = inDueOrder(record.unpaid_matters.map((matter) => toDue(matter, config.timeZone)))
  return {
    id: record.id,
    company_id: record.company_id,
    code: record.code,
    name: record.name,
    desc: record.description,
    type: record.type,
    status: statusNumber(state, 'order'),
    state,
    contract_id: record.contract_id ?? 0,
    contract: record.contract,
    ...agreedOf(record.contract_start ? runningFrom(record, record.contract_start) : record),
    alert_date: record.alert_date,
    online: service?.online ?? 0,
    system_status: service?.system_status ?? 0,
    url: service?.url ?? null,
    admin_url: service?.admin_url ?? (service?.url ? adminUrlOf(service.url) : null),
    pending: record.pending,
    dues,
    payment: dues.length > 0 ? 'due' : 'none',
    waived: record.waived,
    due: state === 'unpaid' ? record.due : null,
    undo_until: undoUntil(config, record, now),
    create_time: timestampIn(config.timeZone, record.create_time),
    update_time: timestampIn(config.timeZone, record.update_time),
    row_version: record.row_version,
  }
}

/** A contract in effect runs from its first day, with the years of all that was added to it. */
export const runningFrom = <T extends Pick<AgreedRow, 'period_end'>>(record: T, start: PlainDate) => ({
  ...record,
  period_start: start,
  period: yearsBetween(start, record.period_end),
})

/** What an order and a contract have alike, as both are shown. */
export const agreedOf = (record: Omit<AgreedRow, 'annual'>) => ({
  currency: record.currency,
  user_mode: record.user_mode,
  users: record.users,
  modules: record.modules,
  uat: record.uat,
  price_id: record.price_id,
  client_type: record.client_type,
  contract_amount: record.contract_amount,
  residual_amount: record.residual_amount,
  amount: record.amount,
  pay_amount: record.pay_amount,
  period: record.period,
  period_start: record.period_start,
  period_end: record.period_end,
  expired_date: lastDay(record.period_end),
})

interface OfCompany {
  params: { companyId: Id }
}

export const list = {
  changeNow: (context: UseCaseContext, { params }: OfCompany) =>
    asCompany(context, params.companyId, ({ companyId }) => changeOf(context.db, companyId)),

  page: ((context, { params, query }) => {
    if (query.type) requireType(context.caller, query.type)
    const type = query.type ?? visibleTypes(context.caller) ?? undefined
    return asCompany(context, params.companyId, async ({ companyId }) => {
      const moment = momentOf(context)
      const { count, rows } = await orders.pageOfOrders(context.db, { companyId, moment }, { ...query, type })
      return { body: { count, data: rows.map((row) => orderRowOf(context.app, row, moment)) } }
    })
  }) satisfies UseCase<typeof listOrders>,

  changes: (context: UseCaseContext, { params }: OfCompany, since: number | null) =>
    asCompany(context, params.companyId, async ({ companyId }) => {
      const moment = momentOf(context)
      const { changed, gone, upto } = await orders.ordersSince(context.db, companyId, moment, since)
      return { changed: changed.map((row) => orderRowOf(context.app, row, moment)), gone, upto }
    }),

  rowsAfter: (context: UseCaseContext, { params }: OfCompany, id: number, most: number) =>
    asCompany(context, params.companyId, async ({ companyId }) => {
      const moment = momentOf(context)
      const rows = await orders.ordersAfter(context.db, { companyId, moment, id, most })
      return rows.map((row) => orderRowOf(context.app, row, moment))
    }),
}

export const get: UseCase<typeof getOrder> = (context, { params }) =>
  forRow(context, 'order', params.id, async ({ companyId }, id) => {
    const moment = momentOf(context)
    const found = await orders.orderById(context.db, companyId, moment, id)
    if (!found) throw notFound()
    return { body: orderRowOf(context.app, found, moment) }
  })

export const create: UseCase<typeof createOrder> = (context, { body }) =>
  asCompany(context, body.company_id, async (desk) => {
    const { db, now, app } = context
    const terms = await termsOfCreation(desk, body)
    requireShown(desk, terms, body)
    const moment = momentOf(context)
    const code = serviceCodeOf(body.code)
    const name = tidyText(body.name)
    await settleCode(db, code, moment)
    const replacedCode = body.replaces === undefined ? null : await replace(desk, body.replaces, null)
    if (!(await takeCode(db, { code, companyId: desk.companyId, name, time: now }, moment)))
      throw await taken(desk, code)
    const created = body.sOrderCreateTime ?? moment.today
    const createTime = created === moment.today ? now : startOfDay(app.config.timeZone, created)
    const description = tidyText(body.desc ?? '') || null
    const placedOrder = await place(desk, terms, { code, name, description, createTime })
    if (replacedCode !== null && replacedCode !== code) {
      const stamp = { change: await takeChange(db, desk.companyId), time: now }
      await orders.showNewest(db, desk.companyId, replacedCode, stamp)
    }
    return { body: placedOrder }
  })

/** Shows an own unpaid order that holds the code, so that people can choose to replace it (D32). */
async function taken({ context, companyId }: ActingCompany, code: string): Promise<ProblemError> {
  const own = await orders.unpaidOf(context.db, companyId, momentOf(context), code)
  const unpaid = own && { id: own.id, type: own.type, amount: own.amount, due: own.due }
  return new ProblemError('DUP_CODE', { code, ...(unpaid ? { unpaid } : {}) })
}

/**
 * The unpaid order turns invalid in the same transaction (D32). Returns its service code, because the caller has to show the newest
 * order of that code after the new one is placed; null if it was invalid already. Throws STATE_CONFLICT if it is not unpaid.
 */
export async function replace(desk: ActingCompany, id: Id, ofService: string | null): Promise<string | null> {
  const { context, companyId } = desk
  const { db, now } = context
  const moment = momentOf(context)
  const found = typeof id === 'number' ? await orders.orderForUpdate(db, companyId, moment, id) : null
  if (!found || (found.type === 'create') !== (ofService === null)) throw notFound()
  if (ofService !== null && found.code !== ofService) throw notFound()
  const state = stateOf(found, moment.now)
  if (state === 'invalid') return null
  const why = whyNotContract('pay', state)
  if (why) throw new ProblemError('STATE_CONFLICT', { why })
  await requireNoPayment(context, { kind: 'order', id: found.id }, 'replace')
  const stamp = { change: await takeChange(db, companyId), time: now }
  await orders.updateOrder(db, found.id, { stored: 'invalid', invalid_why: 'replaced' }, stamp)
  return found.code
}

interface Placing {
  code: string
  name: string
  description: string | null
  createTime: number
}

/** Writes the order; where nothing is due it takes effect at once (D15). */
export async function place(desk: ActingCompany, terms: Terms, { createTime, ...named }: Placing): Promise<Row> {
  const { context, companyId, info, log } = desk
  const { db, app, now } = context
  const moment = momentOf(context)
  const { quote, choice } = terms
  const amounts = amountsOf(terms)
  const waived = waivedAmountOf(desk, terms)
  const isFree = quote.amount === 0n || waived !== null
  // The company's counter is locked from here on: its orders are counted one after the other.
  const stamp = { change: await takeChange(db, companyId), time: now }
  if (!isFree && (await orders.countUnpaid(db, companyId, moment)) >= quotas.unpaidOrders)
    throw new ProblemError('TOO_MANY_UNPAID', { most: quotas.unpaidOrders })
  const id = await orders.insertOrder(db, {
    company_id: companyId,
    ...named,
    type: terms.type,
    stored: 'unpaid',
    invalid_why: null,
    currency: terms.currency,
    ...choice,
    modules: JSON.stringify(choice.modules),
    client_type: terms.clientType,
    price_id: terms.list.id,
    ...amounts,
    pay_amount: waived === null ? amounts.amount : '0.00',
    waived,
    period: terms.period,
    period_start: quote.period_start,
    period_end: quote.period_end,
    uat_bound: app.config.uatBound,
    steps: JSON.stringify(explain(quote)),
    base_id: terms.base?.id ?? null,
    contract_id: null,
    due: dueOfOrder(terms, moment.now),
    alert_date: null,
    change: stamp.change,
    create_time: createTime,
    update_time: now,
  })
  if (isFree) await takeEffect(context, { id, companyId, code: named.code }, stamp)
  else await orders.showNewest(db, companyId, named.code, stamp)
  const made = await orders.orderById(db, companyId, moment, id)
  if (!made) throw new Error('an order that was just made is not there')
  context.setResultRow('order', id, made.row_version)
  const operation = terms.type === 'create' ? 'create' : 'update'
  const changes = fieldChanges(null, made, orderFacts)
  await context.audit({ ...log, code: 'order', operation, info: { ...info, ...noteOf(made) }, changes })
  return orderRowOf(app, made, moment)
}

const dueOfOrder = ({ type, base }: Terms, now: Timestamp): Timestamp =>
  type === 'change' && base ? dueWithin(now, base.period_end) : dueOf(now)

/** What an order asks for, as its first entry keeps it. */
const orderFacts = ['name', 'users', 'user_mode', 'modules', 'period', 'period_start', 'period_end', 'amount'] as const

const noteOf = ({ id, code, type, amount, currency, contract, waived }: orders.OrderRecord) => ({
  ServiceCode: code,
  OrderId: id,
  OrderType: type,
  Amount: `${currency} ${amount}`,
  ...(contract ? { ContractCode: contract } : {}),
  ...(waived === null ? {} : { Waived: `${currency} ${waived}` }),
})

/** Held until the commit, its overdue neighbours settled. Throws NOT_FOUND and VERSION_CONFLICT. */
async function held({ context, companyId }: ActingCompany, id: number): Promise<orders.OrderRecord> {
  const { db, app } = context
  const moment = momentOf(context)
  const before = await orders.orderForUpdate(db, companyId, moment, id)
  if (!before) throw notFound()
  await requireVersion(context, before, {
    current: () => orderRowOf(app, before, moment),
    kept: { code: 'order', info: { OrderId: id } },
  })
  await settleCode(db, before.code, moment)
  return before
}

export const remove: UseCase<typeof deleteOrder> = (context, { params }) =>
  forRow(context, 'order', params.id, async (desk, id) => {
    await erase(desk, await held(desk, id))
    return { status: 204, body: null }
  })

/** An unpaid change or extension: the contract stays as it is (D34). */
export const removeChange: UseCase<typeof deleteOrder> = (context, { params }) =>
  forRow(context, 'order', params.id, async (desk, id) => {
    const before = await held(desk, id)
    if (before.type === 'create') throw notFound()
    await erase(desk, before)
    return { status: 204, body: null }
  })

/** Only what is not in effect and never was (D33); the row stays, for the trail. */
async function erase({ context, companyId, info, log }: ActingCompany, before: orders.OrderRecord): Promise<void> {
  const { db, now } = context
  const why = whyNotContract('remove', stateOf(before, momentOf(context).now))
  if (why) throw new ProblemError('STATE_CONFLICT', { why })
  await requireNoPayment(context, { kind: 'order', id: before.id }, 'delete')
  const stamp = { change: await takeChange(db, companyId), time: now }
  await orders.updateOrder(db, before.id, { deleted: true }, stamp)
  await orders.showNewest(db, companyId, before.code, stamp)
  context.setResultRow('order', before.id, before.row_version + 1)
  const changes = [{ field: 'status', before: stateOf(before, momentOf(context).now), after: null }]
  await context.audit({ ...log, code: 'order', operation: 'delete', info: { ...info, ...noteOf(before) }, changes })
}

/** The staff's, in mma mode (contracts 6): the day from which reminders of payment are sent (D45). */
export const alert: UseCase<typeof setAlertDate> = (context, { body }) =>
  forRow(context, 'order', body.id, async (desk, id) => {
    const { db, app, now } = context
    const { companyId, info, log } = desk
    const moment = momentOf(context)
    const before = await held(desk, id)
    if (before.client_type !== 'mma') throw new ProblemError('STATE_CONFLICT', { why: 'notMma' })
    const date = body.alert_date
    if (date !== null && (!isDate(date) || date < moment.today))
      throw invalid([{ field: 'alert_date', code: isDate(date) ? 'OUT_OF_RANGE' : 'INVALID_FORMAT' }])
    const stamp = { change: await takeChange(db, companyId), time: now }
    await orders.updateOrder(db, id, { alert_date: date }, stamp)
    const after = await orders.orderById(db, companyId, moment, id)
    if (!after) throw notFound()
    context.setResultRow('order', id, after.row_version)
    await context.audit({
      ...log,
      code: 'order',
      operation: 'update',
      info: { ...info, ...noteOf(after), AlertDate: date ?? '' },
      changes: fieldChanges(before, after, ['alert_date']),
    })
    return { body: orderRowOf(app, after, moment) }
  })
