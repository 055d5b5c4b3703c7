/** Orders as they are paid: the one way in which an order takes effect (D12, D15). */
import { contractAnchor, stateOf, whyNotContract } from '#domain/contracts.ts'
import { afterChange, type Segment } from '#domain/fees/prorate.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { addToAnchor, anchorOf, type PeriodAnchor } from '#domain/period.ts'
import { dateIn } from '#domain/time.ts'
import {
  type ContractRecord,
  contractById,
  contractForUpdate,
  insertContract,
  nextNumber,
  overwriteContract,
} from '#server/db/orders/contracts.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import { showNewest, type Stamp, unpaidOf, updateOrder } from '#server/db/orders/orders.ts'
import { type PayableOrder, payableOrder } from '#server/db/payments/payables.ts'
import { isCodeTaken, takeCode } from '#server/db/orders/service-codes.ts'
import { type Invoiced, writeInvoice } from '#server/use-cases/payments/invoices.ts'
import type { ApplyRefusal, Payable, Payment, PaymentWork } from '#server/use-cases/payments/payable.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { segmentsOf } from '#server/use-cases/orders/order-terms.ts'

/** Null: there is no such order. */
export async function orderToPay(till: PaymentWork, id: number): Promise<Payable | null> {
  const order = await payableOrder(till.db, id)
  if (!order) return null
  return {
    of: { kind: 'order', id },
    companyId: order.company_id,
    code: order.code,
    currency: order.currency,
    pay_amount: order.pay_amount,
    due: order.due,
    isDeleted: order.deleted,
    isPaid: order.stored === 'paid' || order.stored === 'overwritten',
    isReplaced: order.deleted || order.invalid_why === 'replaced',
    hasEnded: order.type === 'change' && order.period_end <= momentOf(till).today,
    why: whyNotContract('pay', stateOf(order, momentOf(till).now)),
    isOvertaken: () => isOvertaken(till, order),
    whyNotRevived: () => whyNotRevived(till, order),
    revive: (stamp) => revive(till, order, stamp),
    async takeEffect(payment, stamp) {
      const contract = await makeContract(till, id, stamp)
      const invoice = await writeInvoice(till, invoiced(order, { payment, contract }))
      // Last: it takes the counter of services, which stays locked until the commit.
      await showNewest(till.db, order.company_id, order.code, stamp)
      return { ContractCode: contract, InvoiceNo: invoice }
    },
    entry: { code: 'order', info: { ServiceCode: order.code, OrderId: id } },
    status: { before: order.stored, after: 'effective' },
  }
}

async function isOvertaken(till: PaymentWork, order: PayableOrder): Promise<boolean> {
  const { db } = till
  const moment = momentOf(till)
  // Its time is over by now, and somebody may have begun anew.
  const isOver = order.stored === 'invalid' || order.due < moment.now
  if (isOver && order.type === 'create' && (await isCodeTaken(db, order.code, moment))) return true
  if (isOver && order.type !== 'create') {
    const next = await unpaidOf(db, order.company_id, moment, order.code)
    if (next && next.id !== order.id) return true
  }
  const base = order.base_id === null ? null : await contractForUpdate(db, order.company_id, order.base_id)
  return base?.overwritten === true
}

/** Its code or its contract may be somebody else's by now, or a newer order's. */
async function whyNotRevived(till: PaymentWork, order: PayableOrder): Promise<ApplyRefusal | null> {
  const { db } = till
  const moment = momentOf(till)
  if (order.period_end <= moment.today) return 'contractEnded'
  const next = await unpaidOf(db, order.company_id, moment, order.code)
  if (next && next.id !== order.id) return 'newerOrder'
  if (order.type === 'create')
    return !isWaiting(order, moment) && (await isCodeTaken(db, order.code, moment)) ? 'codeTaken' : null
  const base = order.base_id === null ? null : await contractForUpdate(db, order.company_id, order.base_id)
  return base?.overwritten === true ? 'newerOrder' : null
}

const isWaiting = ({ stored, deleted, due }: PayableOrder, { now }: Moment) =>
  stored === 'unpaid' && !deleted && due >= now

async function revive(till: PaymentWork, order: PayableOrder, stamp: Stamp): Promise<void> {
  const { db, now } = till
  const moment = momentOf(till)
  const { id, code, company_id: companyId, name, type } = order
  if (isWaiting(order, moment)) return
  if (type === 'create' && !(await takeCode(db, { code, companyId, name, time: now }, moment)))
    throw new Error('the code of an order that comes back was taken in between')
  await updateOrder(db, id, { deleted: false }, stamp)
}

/** The order makes a contract, which takes the place of the one that it was built on (D12). Nothing is invoiced. */
export async function takeEffect(
  till: PaymentWork,
  { id, companyId, code }: { id: number; companyId: number; code: string },
  stamp: Stamp,
): Promise<void> {
  await makeContract(till, id, stamp)
  await showNewest(till.db, companyId, code, stamp)
}

/**
 * Returns the contract's number. Numbers of contracts and invoices are always taken before the counter of services: in the other order
 * two companies that pay at the same time deadlock.
 */
async function makeContract(till: PaymentWork, orderId: number, stamp: Stamp): Promise<string> {
  const { db } = till
  const order = await payableOrder(db, orderId)
  if (!order) throw new Error('an order that takes effect is not there')
  const companyId = order.company_id
  const base = order.base_id === null ? null : await contractForUpdate(db, companyId, order.base_id)
  const replaced = base ? await replaceBase(till, base, stamp) : null
  const { today } = momentOf(till)
  const year = today.slice(0, 4)
  const number = await nextNumber(db, 'contract', year)
  const code = `C${year}${today.slice(5, 7)}${String(number).padStart(6, '0')}`
  const restored = order.restores_id === null ? null : await contractById(db, companyId, order.restores_id)
  const { start, segments } = restored
    ? { start: restored.period_start, segments: segmentsOf(restored) }
    : stretch(till, order, base)
  const anchor = anchorAfter(order, base)
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
    segments: JSON.stringify(segments.map(({ annual, ...days }) => ({ ...days, annual: writeAmount(annual) }))),
    create_time: till.now,
  })
  // A change leaves the end where it was, and with it the day from which people are reminded.
  const alert = order.type === 'change' && replaced ? { alert_date: replaced.alert_date } : {}
  await updateOrder(db, order.id, { stored: 'paid', invalid_why: null, contract_id: id, ...alert }, stamp)
  return code
}

async function replaceBase({ db }: PaymentWork, base: ContractRecord, stamp: Stamp): Promise<PayableOrder | null> {
  await overwriteContract(db, base.id)
  const former = await payableOrder(db, base.order_id)
  if (former) await updateOrder(db, former.id, { stored: 'overwritten' }, stamp)
  return former
}

/** From when the contract runs, and what each part of it was sold at (D12). */
function stretch(
  { app }: PaymentWork,
  order: PayableOrder,
  base: ContractRecord | null,
): { start: string; segments: Segment[] } {
  const annual = readAmount(order.annual)
  const own = { start: order.period_start, end: order.period_end, annual }
  const paid = base ? segmentsOf(base) : []
  // What was waived was not paid for, so a later change counts what was paid before (D11).
  if (order.type === 'change' && order.waived !== null)
    return { start: base?.period_start ?? own.start, segments: paid }
  if (order.type === 'change' && base)
    return { start: base.period_start, segments: afterChange(paid, order.period_start, annual) }
  // An extension that was ordered after the end begins anew. On the day of the end (exclusive) its period alone looks like
  // that of one ordered before, so it is the day of the order that counts.
  const goesOn = base !== null && dateIn(app.config.timeZone, order.create_time) < base.period_end
  return goesOn ? { start: base.period_start, segments: [...paid, own] } : { start: own.start, segments: [own] }
}

/** From where the years of the contract count: a change leaves them, an extension without a gap adds to them (decision 60). */
function anchorAfter(order: PayableOrder, base: ContractRecord | null): PeriodAnchor {
  const last = base && { end: base.period_end, anchor: contractAnchor(base) }
  if (order.type === 'change' && last) return last.anchor
  return addToAnchor(anchorOf(order.period_start, last), 12 * order.period)
}

const invoiced = (order: PayableOrder, { payment, contract }: { payment: Payment; contract: string }): Invoiced => {
  const { id, code, name, type, users, user_mode, modules, uat, period_start, period_end } = order
  const { currency, amount, pay_amount, steps: lines } = order
  return {
    companyId: order.company_id,
    subject: { order_id: id },
    payment,
    content: {
      service: { code, name },
      contract,
      order: { id, type, users, user_mode, modules, uat, period_start, period_end },
      lines,
      currency,
      amount,
      pay_amount,
    },
  }
}
