/** Handles the payment of orders. Only this code puts an order into effect (D12, D15). */
import { getContractAnchor, getContractState, getContractRefusal } from '#domain/contracts.ts'
import { applyChange, type PaidSegment } from '#domain/fees/prorate.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { addToAnchor, getAnchor, type PeriodAnchor } from '#domain/plain-dates.ts'
import { toPlainDate } from '#domain/time.ts'
import {
  type ContractRecord,
  findContractById,
  lockContract,
  insertContract,
  takeNextNumber,
  overwriteContract,
} from '#server/db/orders/contracts.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import { updateListedOrder, type ChangeStamp, findUnpaidOrder, updateOrder } from '#server/db/orders/orders.ts'
import { readModuleNames } from '#server/db/payments/issued-documents.ts'
import { type PayableOrderRecord, lockPayableOrder } from '#server/db/payments/payables.ts'
import { isCodeTaken, claimServiceCode } from '#server/db/orders/service-codes.ts'
import { type InvoiceInput, writeInvoice } from '#server/use-cases/payments/invoices.ts'
import type { ApplyRefusal, LockedItem, PaymentContext, PaymentDetails } from '#server/use-cases/payments/payable.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { parseSegments } from '#server/use-cases/orders/order-terms.ts'

export async function buildOrderPayable(context: PaymentContext, id: number): Promise<LockedItem | null> {
  const order = await lockPayableOrder(context.db, id)
  if (!order) return null
  return {
    itemRef: { kind: 'order', id },
    companyId: order.company_id,
    code: order.code,
    currency: order.currency,
    pay_amount: order.pay_amount,
    due: order.due,
    isDeleted: order.deleted,
    isPaid: order.stored === 'paid' || order.stored === 'overwritten',
    isReplaced: order.deleted || order.invalid_reason === 'replaced',
    hasEnded: order.type === 'change' && order.period_end <= getBusinessMoment(context).today,
    refusal: getContractRefusal('pay', getContractState(order, getBusinessMoment(context).now)),
    isOvertaken: () => isOrderOvertaken(context, order),
    findReviveRefusal: () => findReviveRefusal(context, order),
    revive: (changeStamp) => reviveOrder(context, order, changeStamp),
    async takeEffect(payment, changeStamp) {
      const { code: contractNumber } = await makeContract(context, id, changeStamp)
      const moduleNames = await readModuleNames(context.db, order.client_type, order.modules)
      const invoiceInput = buildInvoice(order, { payment, contract: contractNumber, moduleNames })
      const invoiceNumber = await writeInvoice(context, invoiceInput)
      return { ContractCode: contractNumber, InvoiceNo: invoiceNumber }
    },
    updateService: (changeStamp) => updateListedOrder(context.db, order.company_id, order.code, changeStamp),
    auditTarget: { code: 'order', info: { ServiceCode: order.code, OrderId: id } },
    status: { before: order.stored, after: 'effective' },
  }
}

async function isOrderOvertaken(context: PaymentContext, order: PayableOrderRecord): Promise<boolean> {
  const { db } = context
  const moment = getBusinessMoment(context)
  // After the due time of an order, a newer order may have replaced it.
  const isPastDue = order.stored === 'invalid' || order.due < moment.now
  if (isPastDue && order.type === 'create' && (await isCodeTaken(db, order.code, moment))) return true
  if (isPastDue && order.type !== 'create') {
    const otherOrder = await findUnpaidOrder(db, order.company_id, moment, order.code)
    if (otherOrder && otherOrder.id !== order.id) return true
  }
  const baseContract = order.base_id === null ? null : await lockContract(db, order.company_id, order.base_id)
  return baseContract?.overwritten === true
}

/**
 * Returns why an expired or deleted order can no longer take effect, or null. Another company may use its code by now, or a newer order its
 * contract.
 */
async function findReviveRefusal(context: PaymentContext, order: PayableOrderRecord): Promise<ApplyRefusal | null> {
  const { db } = context
  const moment = getBusinessMoment(context)
  if (order.period_end <= moment.today) return 'contractEnded'
  const otherOrder = await findUnpaidOrder(db, order.company_id, moment, order.code)
  if (otherOrder && otherOrder.id !== order.id) return 'newerOrder'
  if (order.type === 'create')
    return !isAwaitingPayment(order, moment) && (await isCodeTaken(db, order.code, moment)) ? 'codeTaken' : null
  const baseContract = order.base_id === null ? null : await lockContract(db, order.company_id, order.base_id)
  return baseContract?.overwritten === true ? 'newerOrder' : null
}

const isAwaitingPayment = ({ stored, deleted, due }: PayableOrderRecord, { now }: Moment) =>
  stored === 'unpaid' && !deleted && due >= now

async function reviveOrder(
  context: PaymentContext,
  order: PayableOrderRecord,
  changeStamp: ChangeStamp,
): Promise<void> {
  const { db, now } = context
  const moment = getBusinessMoment(context)
  const { id, code, company_id: companyId, name, type } = order
  if (isAwaitingPayment(order, moment)) return
  if (type === 'create' && !(await claimServiceCode(db, { code, companyId, name, time: now }, moment)))
    throw new Error('another order has taken the service code of the restored order')
  await updateOrder(db, id, { deleted: false }, changeStamp)
}

/** The order becomes a contract, which replaces the one it was based on (D12). Returns its id. Creates no invoice. */
export async function putIntoEffect(
  context: PaymentContext,
  { id, companyId, code }: { id: number; companyId: number; code: string },
  changeStamp: ChangeStamp,
): Promise<number> {
  const contract = await makeContract(context, id, changeStamp)
  await updateListedOrder(context.db, companyId, code, changeStamp)
  return contract.id
}

/**
 * Creates the contract of an order and returns the contract's id and number. Numbers of contracts and invoices are always taken before the
 * services' counter. In the other order, two companies that pay at the same time would deadlock.
 */
async function makeContract(
  context: PaymentContext,
  orderId: number,
  changeStamp: ChangeStamp,
): Promise<{ id: number; code: string }> {
  const { db } = context
  const order = await lockPayableOrder(db, orderId)
  if (!order) throw new Error('the order to put into effect does not exist')
  const companyId = order.company_id
  const baseContract = order.base_id === null ? null : await lockContract(db, companyId, order.base_id)
  const replacedOrder = baseContract ? await replaceBase(context, baseContract, changeStamp) : null
  const { today } = getBusinessMoment(context)
  const year = today.slice(0, 4)
  const number = await takeNextNumber(db, 'contract', year)
  const code = `C${year}${today.slice(5, 7)}${String(number).padStart(6, '0')}`
  const restoredContract = order.restores_id === null ? null : await findContractById(db, companyId, order.restores_id)
  const { start, segments } = restoredContract
    ? { start: restoredContract.period_start, segments: parseSegments(restoredContract) }
    : getContractPeriod(context, order, baseContract)
  const anchor = getNextAnchor(order, baseContract)
  const id = await insertContract(db, {
    company_id: companyId,
    code,
    service_code: order.code,
    order_id: order.id,
    type: order.type,
    currency: order.currency,
    user_mode: order.user_mode,
    users: order.users,
    modules: JSON.stringify(order.modules),
    uat: order.uat,
    client_type: order.client_type,
    price_id: order.price_id,
    annual: order.annual,
    contract_amount: order.contract_amount,
    residual_amount: order.residual_amount,
    amount: order.amount,
    pay_amount: order.pay_amount,
    period: order.period,
    period_start: start,
    period_end: order.period_end,
    anchor_date: anchor.date,
    anchor_months: anchor.months,
    segments: JSON.stringify(
      segments.map(({ annualFee: annual, ...days }) => ({ ...days, annual: writeAmount(annual) })),
    ),
    create_time: context.now,
  })
  // A change keeps the contract's end, and so the date from which reminders are sent.
  const alertFields = order.type === 'change' && replacedOrder ? { alert_date: replacedOrder.alert_date } : {}
  await updateOrder(
    db,
    order.id,
    { stored: 'paid', invalid_reason: null, contract_id: id, ...alertFields },
    changeStamp,
  )
  return { id, code }
}

async function replaceBase(
  { db }: PaymentContext,
  baseContract: ContractRecord,
  changeStamp: ChangeStamp,
): Promise<PayableOrderRecord | null> {
  await overwriteContract(db, baseContract.id)
  const formerOrder = await lockPayableOrder(db, baseContract.order_id)
  if (formerOrder) await updateOrder(db, formerOrder.id, { stored: 'overwritten' }, changeStamp)
  return formerOrder
}

/** Returns the contract's start, and the prices at which its parts were sold (D12). */
function getContractPeriod(
  { app }: PaymentContext,
  order: PayableOrderRecord,
  baseContract: ContractRecord | null,
): { start: string; segments: PaidSegment[] } {
  const annual = readAmount(order.annual)
  const ownSegment = { start: order.period_start, end: order.period_end, annualFee: annual }
  const paidSegments = baseContract ? parseSegments(baseContract) : []
  // A waived change was not paid, so a later change uses the amounts that were paid before (D11).
  if (order.type === 'change' && order.waived !== null)
    return { start: baseContract?.period_start ?? ownSegment.start, segments: paidSegments }
  if (order.type === 'change' && baseContract)
    return { start: baseContract.period_start, segments: applyChange(paidSegments, order.period_start, annual) }
  // An extension that was ordered after the end starts a new period. On the day of the end (exclusive) the period alone does not show that,
  // so the order date decides.
  const isContinuing =
    baseContract !== null && toPlainDate(app.config.timeZone, order.create_time) < baseContract.period_end
  return isContinuing
    ? { start: baseContract.period_start, segments: [...paidSegments, ownSegment] }
    : { start: ownSegment.start, segments: [ownSegment] }
}

/** Returns the date from which the contract's years are counted. An extension without a gap continues the count (decision 60). */
function getNextAnchor(order: PayableOrderRecord, baseContract: ContractRecord | null): PeriodAnchor {
  const lastPeriod = baseContract && { end: baseContract.period_end, anchor: getContractAnchor(baseContract) }
  if (order.type === 'change' && lastPeriod) return lastPeriod.anchor
  return addToAnchor(getAnchor(order.period_start, lastPeriod), 12 * order.period)
}

const buildInvoice = (
  order: PayableOrderRecord,
  {
    payment,
    contract,
    moduleNames,
  }: { payment: PaymentDetails; contract: string; moduleNames: Record<string, string> },
): InvoiceInput => {
  const { id, code, name, type, users, user_mode, modules, uat, period_start, period_end } = order
  const { currency, amount, pay_amount, steps: lines } = order
  return {
    companyId: order.company_id,
    subject: { order_id: id },
    payment,
    content: {
      service: { code, name },
      contract,
      order: { id, type, users, user_mode, modules, module_names: moduleNames, uat, period_start, period_end },
      lines,
      currency,
      amount,
      pay_amount,
    },
  }
}
