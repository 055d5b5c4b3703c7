/** Loads the orders of the demo companies, with services in every state. Each order is calculated as of the day of the order. */
import { getContractAnchor, getDueTime, getDueTimeWithin } from '#domain/contracts.ts'
import { explainQuote } from '#domain/fees/explain.ts'
import { quoteChange, quoteCreate, type QuoteResult } from '#domain/fees/quote.ts'
import { toPlainDate, toTimestamp } from '#domain/time.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { findContractById } from '#server/db/orders/contracts.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { insertOrder, updateListedOrder } from '#server/db/orders/orders.ts'
import { findPriceListById, type PriceListRecord } from '#server/db/catalogue/price-lists.ts'
import type { AppContext } from '#server/context/context.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { formatAmounts } from '#server/use-cases/orders/quotes.ts'
import { parseSegments } from '#server/use-cases/orders/order-terms.ts'

export interface DemoOrder {
  code: string
  name: string
  currency: 'HKD' | 'USD' | 'RMB'
  user_mode: 'CONCURRENT' | 'NAMED'
  users: number
  modules: string[]
  /** Number of days before today on which the order was made. Its contract begins on the same day. */
  daysAgo: number
  years: number
  isPaid: boolean
  /** Purchase order number on the invoice of the first payment. */
  poNumber?: string
  laterChange?: { users: number; daysAgo: number; isPaid: boolean }
}

export const acmeOrders: DemoOrder[] = [
  {
    code: 'acmetrade',
    name: 'Acme trading',
    currency: 'HKD',
    user_mode: 'CONCURRENT',
    users: 25,
    modules: ['core', 'fin', 'scm'],
    daysAgo: 200,
    years: 2,
    isPaid: true,
    poNumber: 'PO-4711',
    laterChange: { users: 40, daysAgo: 60, isPaid: true },
  },
  {
    code: 'acmetest',
    name: 'Acme, to try things out',
    currency: 'HKD',
    user_mode: 'CONCURRENT',
    users: 5,
    modules: ['core'],
    daysAgo: 352,
    years: 1,
    isPaid: true,
    laterChange: { users: 12, daysAgo: 3, isPaid: false },
  },
  {
    code: 'acmehr',
    name: 'Acme people',
    currency: 'USD',
    user_mode: 'NAMED',
    users: 30,
    modules: ['core', 'hr'],
    daysAgo: 2,
    years: 1,
    isPaid: false,
  },
  {
    code: 'acmeold',
    name: 'Acme archive',
    currency: 'HKD',
    user_mode: 'CONCURRENT',
    users: 8,
    modules: ['core', 'doc'],
    daysAgo: 380,
    years: 1,
    isPaid: true,
  },
  {
    code: 'acmeshop',
    name: 'Acme shop',
    currency: 'RMB',
    user_mode: 'NAMED',
    users: 12,
    modules: ['doc'],
    daysAgo: 21,
    years: 1,
    isPaid: false,
  },
]

export const globexOrders: DemoOrder[] = [
  {
    code: 'globex01',
    name: '环球贸易',
    currency: 'RMB',
    user_mode: 'NAMED',
    users: 60,
    modules: ['core', 'fin', 'hr'],
    daysAgo: 90,
    years: 3,
    isPaid: true,
    poNumber: '采购-2026-015',
  },
]

const dayMs = 86_400_000

interface OrderContext {
  app: AppContext
  db: DatabaseHandle
  companyId: number
  list: PriceListRecord
  now: number
}

/** Runs as the system role. Uses the price list `listId`. */
export async function loadOrders(
  db: DatabaseHandle,
  app: AppContext,
  { companyId, orders, listId, now }: { companyId: number; orders: readonly DemoOrder[]; listId: number; now: number },
): Promise<void> {
  const list = await findPriceListById(db, listId)
  if (!list) throw new Error('the demo data has no price list')
  for (const order of orders) await loadOrder({ app, db, companyId, list, now }, order)
}

async function loadOrder(context: OrderContext, order: DemoOrder): Promise<void> {
  const { db, list, now, app } = context
  const orderedAt = now - order.daysAgo * dayMs
  const start = toPlainDate(app.config.timeZone, orderedAt)
  const choice = { user_mode: order.user_mode, users: order.users, modules: order.modules, uat: 0 as const }
  const quoteInput = { list: list.content, currency: order.currency, terms: choice, uatBound: app.config.uatBound }
  const baseOrderId = await placeOrder(context, order, {
    at: orderedAt,
    type: 'create',
    users: order.users,
    result: quoteCreate(quoteInput, start, order.years),
  })
  if (order.isPaid) await payOrder(context, baseOrderId, { paidAt: orderedAt, poNumber: order.poNumber })
  if (!order.laterChange) return
  const { users, daysAgo, isPaid } = order.laterChange
  const contract = await findContractById(db, context.companyId, await getContractId(db, baseOrderId))
  if (!contract) throw new Error('an order of the demo data was not paid')
  const changedAt = now - daysAgo * dayMs
  const day = toPlainDate(app.config.timeZone, changedAt)
  const { date: anchor } = getContractAnchor(contract)
  const result = quoteChange({ ...quoteInput, terms: { ...choice, users } }, parseSegments(contract), day, anchor)
  const changeOrderId = await placeOrder(context, order, {
    at: changedAt,
    type: 'change',
    users,
    result,
    baseId: contract.id,
  })
  if (isPaid) await payOrder(context, changeOrderId, { paidAt: changedAt })
}

interface PlacedOrder {
  at: number
  type: 'create' | 'change'
  users: number
  result: QuoteResult
  baseId?: number
}

async function placeOrder(
  context: OrderContext,
  order: DemoOrder,
  { at: orderedAt, type, users, result, baseId }: PlacedOrder,
): Promise<number> {
  const { db, app, companyId, list } = context
  if (result.kind !== 'quote') throw new Error(`the demo order ${order.code} has no price: ${result.kind}`)
  const { quote } = result
  const amounts = formatAmounts({ quote })
  const orderTime = toTimestamp(app.config.timeZone, orderedAt)
  const change = await takeChangeNumber(db, companyId)
  const id = await insertOrder(db, {
    company_id: companyId,
    code: order.code,
    name: order.name,
    description: null,
    type,
    stored: 'unpaid',
    invalid_reason: null,
    currency: order.currency,
    user_mode: order.user_mode,
    users,
    modules: JSON.stringify(order.modules),
    uat: 0,
    client_type: 'saas',
    price_id: list.id,
    ...amounts,
    pay_amount: amounts.amount,
    period: order.years,
    period_start: quote.period_start,
    period_end: quote.period_end,
    uat_bound: app.config.uatBound,
    steps: JSON.stringify(explainQuote(quote)),
    base_id: baseId ?? null,
    contract_id: null,
    due: type === 'change' ? getDueTimeWithin(orderTime, quote.period_end) : getDueTime(orderTime),
    alert_date: null,
    change,
    create_time: orderedAt,
    update_time: orderedAt,
  })
  await updateListedOrder(db, companyId, order.code, { change, time: orderedAt })
  return id
}

const getOrder = (db: DatabaseHandle, id: number) =>
  db.selectFrom('service_order').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

const getContractId = async (db: DatabaseHandle, id: number) => (await getOrder(db, id)).contract_id ?? 0

async function payOrder(
  { db, app }: OrderContext,
  id: number,
  { paidAt, poNumber = null }: { paidAt: number; poNumber?: string | null | undefined },
): Promise<void> {
  const { pay_amount: amount, currency } = await getOrder(db, id)
  const payment = { gateway: 'simulate', reference: `demo-${id}`, amount, currency, paidAt, poNumber }
  const paymentResult = await applyPayment({ db, app, now: paidAt }, { kind: 'order', id }, payment)
  if (paymentResult?.outcome !== 'applied')
    throw new Error(`the demo order ${id} was not paid: ${paymentResult?.outcome ?? 'missing'}`)
}
