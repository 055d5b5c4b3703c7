/**
 * What being paid does to an order: the one way in which it takes effect. Asked for by gateways, by notices that come twice,
 * late or in the wrong order, by staff and by a job that looks for what was cut off: the effect is one.
 */
import { afterChange, type Segment } from '#domain/fees/prorate.ts'
import { type Currency, readAmount, writeAmount } from '#domain/money.ts'
import { dateIn, timestampIn } from '#domain/time.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import {
  type ContractRecord,
  contractForUpdate,
  insertContract,
  nextNumber,
  overwriteContract,
} from '#server/db/orders/contracts.ts'
import { showNewest, type Stamp, unpaidOf, updateOrder } from '#server/db/orders/orders.ts'
import {
  insertPayment,
  type PayableOrder,
  payableOrder,
  paymentBy,
  type PaymentRecord,
} from '#server/db/payments/payments.ts'
import { isCodeTaken } from '#server/db/orders/service-codes.ts'
import type { ServiceContext, AuditEntry } from '#server/context.ts'
import { type Invoiced, writeInvoice } from '#server/services/payments/invoices.ts'
import { momentOf } from '#server/services/orders/business-time.ts'
import { segmentsOf } from '#server/services/orders/order-terms.ts'

/** What it needs of a call: a webhook and a job have no caller. */
export type PaymentWork = Pick<ServiceContext, 'db' | 'app' | 'now'>

export interface Payment {
  gateway: string
  /** The gateway's own name for it: with the gateway it is applied once. */
  reference: string
  /** As it was taken, two decimals. */
  amount: string
  /** The gateway's own name where it is none of ours. */
  currency: Currency | (string & {})
  /** When the gateway took it, epoch ms. */
  paidAt: number
}

export interface Applied {
  outcome: PaymentRecord['outcome']
  /** It was known already, and nothing was done. */
  repeated: boolean
  companyId: number
  /** For the trail; null where nothing was done. */
  note: AuditEntry | null
}

/**
 * Writes the payment down and lets the order take effect, in the transaction that is handed in. Money that does not fit its
 * order is written down and has no effect. Null: there is no such order.
 */
export async function applyPayment(till: PaymentWork, orderId: number, payment: Payment): Promise<Applied | null> {
  const { db, now } = till
  const order = await payableOrder(db, orderId)
  if (!order) return null
  const companyId = order.company_id
  const told = (outcome: PaymentRecord['outcome']): Applied => ({ outcome, repeated: true, companyId, note: null })
  const known = await paymentBy(db, payment.gateway, payment.reference)
  if (known) return told(known.outcome)
  const outcome = await judge(till, order, payment)
  const { gateway, reference, amount, currency, paidAt } = payment
  const isNew = await insertPayment(db, {
    company_id: companyId,
    order_id: orderId,
    gateway,
    reference,
    amount,
    currency,
    paid_at: paidAt,
    outcome,
    create_time: now,
  })
  if (!isNew) return told((await paymentBy(db, gateway, reference))?.outcome ?? outcome)
  const info = { ServiceCode: order.code, OrderId: orderId, Amount: `${currency} ${amount}`, Gateway: gateway }
  const note: AuditEntry = {
    code: 'order',
    operation: 'pay',
    info: { ...info, Reference: reference, Outcome: outcome },
  }
  if (outcome !== 'applied') return { outcome, repeated: false, companyId, note }
  const effect = await takeEffect(till, orderId, { change: await takeChange(db, companyId), time: now })
  const invoice = await writeInvoice(till, invoiced(order, { payment, contract: effect.code }))
  const codes = { ContractCode: effect.code, InvoiceNo: invoice }
  const changes = [{ field: 'status', before: order.stored, after: 'effective' }]
  return { outcome, repeated: false, companyId, note: { ...note, info: { ...note.info, ...codes }, changes } }
}

/** Amount, currency and order have to match (S-95); what was paid in time counts, however late it is told. */
async function judge(till: PaymentWork, order: PayableOrder, payment: Payment): Promise<PaymentRecord['outcome']> {
  const { db, app } = till
  if (order.stored === 'paid' || order.stored === 'overwritten') return 'paid already'
  if (order.deleted || order.invalid_why === 'replaced') return 'replaced'
  if (payment.currency !== order.currency) return 'another currency'
  if (readAmount(payment.amount) !== readAmount(order.pay_amount)) return 'another amount'
  if (timestampIn(app.config.timeZone, payment.paidAt) > order.due) return 'too late'
  const moment = momentOf(till)
  // Its time is over by now, and somebody may have begun anew.
  const isOver = order.stored === 'invalid' || order.due < moment.now
  if (isOver && order.type === 'create' && (await isCodeTaken(db, order.code, moment))) return 'replaced'
  if (isOver && order.type !== 'create') {
    const next = await unpaidOf(db, order.company_id, moment, order.code)
    if (next && next.id !== order.id) return 'replaced'
  }
  const base = order.base_id === null ? null : await contractForUpdate(db, order.company_id, order.base_id)
  return base?.overwritten ? 'replaced' : 'applied'
}

/** The order makes a contract, which takes the place of the one that it was built on (D12). */
export async function takeEffect(
  till: PaymentWork,
  orderId: number,
  stamp: Stamp,
): Promise<{ id: number; code: string }> {
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
  const { start, segments } = stretch(till, order, base)
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
    segments: JSON.stringify(segments.map(({ annual, ...days }) => ({ ...days, annual: writeAmount(annual) }))),
    create_time: till.now,
  })
  // A change leaves the end where it was, and with it the day from which people are reminded.
  const alert = order.type === 'change' && replaced ? { alert_date: replaced.alert_date } : {}
  await updateOrder(db, order.id, { stored: 'paid', invalid_why: null, contract_id: id, ...alert }, stamp)
  await showNewest(db, companyId, order.code, stamp)
  return { id, code }
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
  if (order.type === 'change' && base)
    return { start: base.period_start, segments: afterChange(paid, order.period_start, annual) }
  // An extension that was ordered after the end begins anew. On the day of the end (exclusive) its period alone looks like
  // that of one ordered before, so it is the day of the order that counts.
  const goesOn = base !== null && dateIn(app.config.timeZone, order.create_time) < base.period_end
  return goesOn ? { start: base.period_start, segments: [...paid, own] } : { start: own.start, segments: [own] }
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
