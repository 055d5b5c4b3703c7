/** Places, reads and deletes service orders (contracts 4, D30 to D39). */
import { findFieldChanges } from '#domain/audit-log/changes.ts'
import { toAdminUrl } from '#domain/checks/service-code.ts'
import {
  getDueTime,
  getDueTimeWithin,
  getContractState,
  toStatusNumber,
  getContractRefusal,
} from '#domain/contracts.ts'
import { sortDues, toDue } from '#domain/dues.ts'
import { explainQuote } from '#domain/fees/explain.ts'
import { isDate, getLastDay, countYearsBetween } from '#domain/plain-dates.ts'
import { cleanText } from '#domain/text.ts'
import { type PlainDate, getStartOfDay, type Timestamp, toTimestamp } from '#domain/time.ts'
import type { RowRef, OutputOf } from '#contract/endpoint.ts'
import type { createOrder, deleteOrder, getOrder, listOrders, setAlertDate } from '#contract/orders.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import * as orders from '#server/db/orders/orders.ts'
import type { AgreementRow } from '#server/db/tables/order-tables.ts'
import { settleServiceCode, claimServiceCode } from '#server/db/orders/service-codes.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import {
  createValidationProblem,
  createNotFoundProblem,
  ProblemError,
  requireRow,
} from '#server/problems/problem-error.ts'
import { quotas } from '#server/use-cases/quotas.ts'
import { type ActingCompany, runAsCompany, runForRow } from '#server/use-cases/orders/acting-company.ts'
import { getVisibleTypes, requireQueriedType } from '#server/use-cases/orders/client-types.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { findUndoDeadline } from '#server/use-cases/orders/undo-until.ts'
import { putIntoEffect } from '#server/use-cases/payments/payable-orders.ts'
import { requireNoPayment } from '#server/use-cases/payments/stop-payments.ts'
import { formatAmounts, requireSameQuote, getWaivedAmount } from '#server/use-cases/orders/quotes.ts'
import { normaliseServiceCode, type OrderTerms, buildCreationTerms } from '#server/use-cases/orders/order-terms.ts'
import { createListUseCase } from '#server/use-cases/list-use-case.ts'
import { addContractCredit, lockContractCredit, splitUnusedAmount } from '#server/use-cases/orders/contract-credit.ts'
import { notifyOfRemovedOrder } from '#server/use-cases/notifications/notify.ts'
import { notifyOfNewPayable } from '#server/use-cases/notifications/payable-details.ts'
import { requireVersion } from '#server/use-cases/require-version.ts'

type OrderRow = OutputOf<typeof getOrder>

export function toOrderRow({ config }: AppContext, record: orders.OrderRecord, { now }: Moment): OrderRow {
  const state = getContractState(record, now)
  const { service } = record
  const dues = sortDues(record.unpaid_matters.map((matter) => toDue(matter, config.timeZone)))
  return {
    id: record.id,
    company_id: record.company_id,
    code: record.code,
    name: record.name,
    desc: record.description,
    type: record.type,
    status: toStatusNumber(state, 'order'),
    state,
    contract_id: record.contract_id ?? 0,
    contract: record.contract,
    ...toAgreedFields(record.contract_start ? toRunningTerms(record, record.contract_start) : record),
    alert_date: record.alert_date,
    online: service?.online ?? 0,
    system_status: service?.system_status ?? 0,
    url: service?.url ?? null,
    admin_url: service?.admin_url ?? (service?.url ? toAdminUrl(service.url) : null),
    pending: record.pending,
    dues,
    payment: dues.length > 0 ? 'due' : 'none',
    waived: record.waived,
    due: state === 'unpaid' ? record.due : null,
    undo_until: findUndoDeadline(config, record, now),
    ...toCreditedField(record),
    create_time: toTimestamp(config.timeZone, record.create_time),
    update_time: toTimestamp(config.timeZone, record.update_time),
    row_version: record.row_version,
  }
}

const toCreditedField = ({ is_credited: isCredited }: orders.OrderRecord) =>
  isCredited ? { credited: true as const } : {}

/** Returns the terms with the period from the contract's first day, including years that were added later. */
export const toRunningTerms = <T extends Pick<AgreementRow, 'period_end'>>(record: T, start: PlainDate) => ({
  ...record,
  period_start: start,
  period: countYearsBetween(start, record.period_end),
})

const toAgreedFields = (record: Omit<AgreementRow, 'annual'>) => ({
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
  expired_date: getLastDay(record.period_end),
})

export const orderList = createListUseCase<typeof listOrders, orders.OrderScope, orders.OrderRecord>({
  reads: orders.orderReads,
  runInScope: (context, { params }, read) =>
    runAsCompany(context, params.companyId, ({ companyId }) => read({ companyId, moment: getBusinessMoment(context) })),
  toRow: ({ app }, row, { moment }) => toOrderRow(app, row, moment),
  toPageQuery: (context, query) => ({
    ...requireQueriedType(context, query),
    type: query.type ?? getVisibleTypes(context.caller) ?? undefined,
  }),
})

export const get: UseCase<typeof getOrder> = (context, { params }) =>
  runForRow(context, 'order', params.id, async ({ companyId }, id) => {
    const moment = getBusinessMoment(context)
    const order = requireRow(await orders.findOrderById(context.db, companyId, moment, id))
    return { body: toOrderRow(context.app, order, moment) }
  })

export const create: UseCase<typeof createOrder> = (context, { body }) =>
  runAsCompany(context, body.company_id, async (actingCompany) => {
    const { db, now, app } = context
    const terms = await buildCreationTerms(actingCompany, body)
    requireSameQuote(actingCompany, terms, body)
    const moment = getBusinessMoment(context)
    const code = normaliseServiceCode(body.code)
    const name = cleanText(body.name)
    await settleServiceCode(db, code, moment)
    const replacedCode =
      body.replaces === undefined ? null : await replaceUnpaidOrder(actingCompany, body.replaces, null)
    if (!(await claimServiceCode(db, { code, companyId: actingCompany.companyId, name, time: now }, moment)))
      throw await createCodeTakenError(actingCompany, code)
    const createdDate = body.sOrderCreateTime ?? moment.today
    const createTime = createdDate === moment.today ? now : getStartOfDay(app.config.timeZone, createdDate)
    const description = cleanText(body.desc ?? '') || null
    const placedOrder = await placeOrder(actingCompany, terms, { code, name, description, createTime })
    if (replacedCode !== null && replacedCode !== code) {
      const changeStamp = { change: await takeChangeNumber(db, actingCompany.companyId), time: now }
      await orders.updateListedOrder(db, actingCompany.companyId, replacedCode, changeStamp)
    }
    return { body: placedOrder }
  })

/**
 * Returns the problem DUP_CODE. It includes the company's own unpaid order with that code, so that users can choose to replace it (D32).
 */
async function createCodeTakenError({ context, companyId }: ActingCompany, code: string): Promise<ProblemError> {
  const unpaidOrder = await orders.findUnpaidOrder(context.db, companyId, getBusinessMoment(context), code)
  const unpaid = unpaidOrder && {
    id: unpaidOrder.id,
    type: unpaidOrder.type,
    amount: unpaidOrder.amount,
    due: unpaidOrder.due,
  }
  return new ProblemError('DUP_CODE', { code, ...(unpaid ? { unpaid } : {}) })
}

/**
 * Makes the unpaid order invalid (D32). Returns its service code, because the caller must update the listed order of that code after
 * placing the new one, or null if it was already invalid. Throws NOT_FOUND or STATE_CONFLICT.
 */
export async function replaceUnpaidOrder(
  actingCompany: ActingCompany,
  id: RowRef,
  serviceCode: string | null,
): Promise<string | null> {
  const { context, companyId } = actingCompany
  const { db, now } = context
  const moment = getBusinessMoment(context)
  const order = typeof id === 'number' ? await orders.lockOrder(db, companyId, moment, id) : null
  if (!order || (order.type === 'create') !== (serviceCode === null)) throw createNotFoundProblem()
  if (serviceCode !== null && order.code !== serviceCode) throw createNotFoundProblem()
  const state = getContractState(order, moment.now)
  if (state === 'invalid') return null
  const refusal = getContractRefusal('pay', state)
  if (refusal) throw new ProblemError('STATE_CONFLICT', { why: refusal })
  await requireNoPayment(context, { kind: 'order', id: order.id }, 'replace')
  const changeStamp = { change: await takeChangeNumber(db, companyId), time: now }
  await orders.updateOrder(db, order.id, { stored: 'invalid', invalid_reason: 'replaced' }, changeStamp)
  return order.code
}

interface NewOrderFields {
  code: string
  name: string
  description: string | null
  createTime: number
}

/** Stores the order. If no amount is due, the order takes effect immediately (D15). */
export async function placeOrder(
  actingCompany: ActingCompany,
  terms: OrderTerms,
  { createTime, ...nameFields }: NewOrderFields,
): Promise<OrderRow> {
  const { context, companyId, info, log } = actingCompany
  const { db, app, now } = context
  const moment = getBusinessMoment(context)
  const { quote, choice } = terms
  const amounts = formatAmounts(terms)
  const waivedAmount = getWaivedAmount(actingCompany, terms)
  const isFree = quote.amount === 0n || waivedAmount !== null
  // Locks the company's counter, so that its unpaid orders are counted one transaction after the other.
  const { credited } = splitUnusedAmount(terms)
  const contractCredit = { companyId, currency: terms.currency, amount: credited }
  await lockContractCredit(context, contractCredit)
  const changeStamp = { change: await takeChangeNumber(db, companyId), time: now }
  if (!isFree && (await orders.countUnpaidOrders(db, companyId, moment)) >= quotas.unpaidOrders)
    throw new ProblemError('TOO_MANY_UNPAID', { most: quotas.unpaidOrders })
  const id = await orders.insertOrder(db, {
    company_id: companyId,
    ...nameFields,
    type: terms.type,
    stored: 'unpaid',
    invalid_reason: null,
    currency: terms.currency,
    ...choice,
    modules: JSON.stringify(choice.modules),
    client_type: terms.clientType,
    price_id: terms.list.id,
    ...amounts,
    pay_amount: waivedAmount === null ? amounts.amount : '0.00',
    waived: waivedAmount,
    period: terms.period,
    period_start: quote.period_start,
    period_end: quote.period_end,
    uat_bound: app.config.uatBound,
    steps: JSON.stringify(explainQuote(quote, credited)),
    base_id: terms.base?.id ?? null,
    contract_id: null,
    due: getOrderDueTime(terms, moment.now),
    alert_date: null,
    change: changeStamp.change,
    create_time: createTime,
    update_time: now,
  })
  if (isFree) {
    const contractId = await putIntoEffect(context, { id, companyId, code: nameFields.code }, changeStamp)
    await addContractCredit(context, contractCredit, contractId)
  } else {
    await orders.updateListedOrder(db, companyId, nameFields.code, changeStamp)
    await notifyOfNewPayable(db, { companyId, callerId: context.caller.userId }, { kind: 'order', id }, now)
  }
  const createdOrder = await orders.findOrderById(db, companyId, moment, id)
  if (!createdOrder) throw new Error('the created order does not exist')
  context.setResultRow('order', id, createdOrder.row_version)
  const operation = terms.type === 'create' ? 'create' : 'update'
  const changes = findFieldChanges(null, createdOrder, orderFacts)
  await context.audit({ ...log, code: 'order', operation, info: { ...info, ...getOrderInfo(createdOrder) }, changes })
  return toOrderRow(app, createdOrder, moment)
}

const getOrderDueTime = ({ type, base }: OrderTerms, now: Timestamp): Timestamp =>
  type === 'change' && base ? getDueTimeWithin(now, base.period_end) : getDueTime(now)

const orderFacts = ['name', 'users', 'user_mode', 'modules', 'period', 'period_start', 'period_end', 'amount'] as const

const getOrderInfo = ({ id, code, type, amount, currency, contract, waived }: orders.OrderRecord) => ({
  ServiceCode: code,
  OrderId: id,
  OrderType: type,
  Amount: `${currency} ${amount}`,
  ...(contract ? { ContractCode: contract } : {}),
  ...(waived === null ? {} : { Waived: `${currency} ${waived}` }),
})

/** Locks the order until the commit, and settles overdue orders of its service code. Throws NOT_FOUND or VERSION_CONFLICT. */
async function lockOrder({ context, companyId }: ActingCompany, id: number): Promise<orders.OrderRecord> {
  const { db, app } = context
  const moment = getBusinessMoment(context)
  const order = requireRow(await orders.lockOrder(db, companyId, moment, id))
  await requireVersion(context, order, {
    buildCurrentRow: () => toOrderRow(app, order, moment),
    auditTarget: { code: 'order', info: { OrderId: id } },
  })
  await settleServiceCode(db, order.code, moment)
  return order
}

export const remove: UseCase<typeof deleteOrder> = (context, { params }) =>
  runForRow(context, 'order', params.id, async (actingCompany, id) => {
    await deleteUnpaidOrder(actingCompany, await lockOrder(actingCompany, id))
    return { status: 204, body: null }
  })

/** Deletes an unpaid change or extension. The contract stays as it is (D34). */
export const removeChange: UseCase<typeof deleteOrder> = (context, { params }) =>
  runForRow(context, 'order', params.id, async (actingCompany, id) => {
    const order = await lockOrder(actingCompany, id)
    if (order.type === 'create') throw createNotFoundProblem()
    await deleteUnpaidOrder(actingCompany, order)
    return { status: 204, body: null }
  })

/** Deletes an order that never took effect, otherwise throws STATE_CONFLICT (D33). The row stays for the audit trail. */
async function deleteUnpaidOrder(
  { context, companyId, info, log }: ActingCompany,
  order: orders.OrderRecord,
): Promise<void> {
  const { db, now } = context
  const refusal = getContractRefusal('remove', getContractState(order, getBusinessMoment(context).now))
  if (refusal) throw new ProblemError('STATE_CONFLICT', { why: refusal })
  await requireNoPayment(context, { kind: 'order', id: order.id }, 'delete')
  const changeStamp = { change: await takeChangeNumber(db, companyId), time: now }
  await orders.updateOrder(db, order.id, { deleted: true }, changeStamp)
  await orders.updateListedOrder(db, companyId, order.code, changeStamp)
  if (companyId !== context.caller.companyId) await notifyOfRemovedOrder(db, companyId, order, now)
  context.setResultRow('order', order.id, order.row_version + 1)
  const changes = [{ field: 'status', before: getContractState(order, getBusinessMoment(context).now), after: null }]
  await context.audit({
    ...log,
    code: 'order',
    operation: 'delete',
    info: { ...info, ...getOrderInfo(order) },
    changes,
  })
}

/** Sets the date before which no reminders of the order are sent (D45). Only for the staff and for orders in mma mode (contracts 6). */
export const setOrderAlertDate: UseCase<typeof setAlertDate> = (context, { body }) =>
  runForRow(context, 'order', body.id, async (actingCompany, id) => {
    const { db, app, now } = context
    const { companyId, info, log } = actingCompany
    const moment = getBusinessMoment(context)
    const orderBefore = await lockOrder(actingCompany, id)
    if (orderBefore.client_type !== 'mma') throw new ProblemError('STATE_CONFLICT', { why: 'notMma' })
    const date = body.alert_date
    if (date !== null && (!isDate(date) || date < moment.today))
      throw createValidationProblem([{ field: 'alert_date', code: isDate(date) ? 'OUT_OF_RANGE' : 'INVALID_FORMAT' }])
    const changeStamp = { change: await takeChangeNumber(db, companyId), time: now }
    await orders.updateOrder(db, id, { alert_date: date }, changeStamp)
    const orderAfter = requireRow(await orders.findOrderById(db, companyId, moment, id))
    context.setResultRow('order', id, orderAfter.row_version)
    await context.audit({
      ...log,
      code: 'order',
      operation: 'update',
      info: { ...info, ...getOrderInfo(orderAfter), AlertDate: date ?? '' },
      changes: findFieldChanges(orderBefore, orderAfter, ['alert_date']),
    })
    return { body: toOrderRow(app, orderAfter, moment) }
  })
