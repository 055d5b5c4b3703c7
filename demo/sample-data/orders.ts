/** The demo world's orders: one company's services in every state that there is, made as their own days would have made them. */
import { contractAnchor, dueOf, dueWithin } from '#domain/contracts.ts'
import { explain } from '#domain/fees/explain.ts'
import { quoteChange, quoteCreate, type QuoteResult } from '#domain/fees/quote.ts'
import { dateIn, timestampIn } from '#domain/time.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import { contractById } from '#server/db/orders/contracts.ts'
import type { Handle } from '#server/db/handle.ts'
import { insertOrder, showNewest } from '#server/db/orders/orders.ts'
import { priceListById, type PriceListRecord } from '#server/db/catalogue/price-lists.ts'
import type { AppContext } from '#server/context/context.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { amountsOf } from '#server/use-cases/orders/quotes.ts'
import { segmentsOf } from '#server/use-cases/orders/order-terms.ts'

export interface DemoOrder {
  code: string
  name: string
  currency: 'HKD' | 'USD' | 'RMB'
  user_mode: 'CONCURRENT' | 'NAMED'
  users: number
  modules: string[]
  /** Days before today on which it was ordered, and began. */
  daysAgo: number
  years: number
  paid: boolean
  /** Users after a change that was paid, or waits to be, by days before today. */
  changed?: { users: number; daysAgo: number; paid: boolean }
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
    paid: true,
    changed: { users: 40, daysAgo: 60, paid: true },
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
    paid: true,
    changed: { users: 12, daysAgo: 3, paid: false },
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
    paid: false,
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
    paid: true,
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
    paid: false,
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
    paid: true,
  },
]

const dayMs = 86_400_000

interface Made {
  app: AppContext
  db: Handle
  companyId: number
  list: PriceListRecord
  now: number
}

/** As the system, by the price list of that id. */
export async function loadOrders(
  db: Handle,
  app: AppContext,
  { companyId, orders, listId, now }: { companyId: number; orders: readonly DemoOrder[]; listId: number; now: number },
): Promise<void> {
  const list = await priceListById(db, listId)
  if (!list) throw new Error('the demo world has no price list')
  for (const one of orders) await loadOrder({ app, db, companyId, list, now }, one)
}

async function loadOrder(made: Made, one: DemoOrder): Promise<void> {
  const { db, list, now, app } = made
  const at = now - one.daysAgo * dayMs
  const start = dateIn(app.config.timeZone, at)
  const choice = { user_mode: one.user_mode, users: one.users, modules: one.modules, uat: 0 as const }
  const asked = { list: list.content, currency: one.currency, choice, uatBound: app.config.uatBound }
  const base = await place(made, one, {
    at,
    type: 'create',
    users: one.users,
    result: quoteCreate(asked, start, one.years),
  })
  if (one.paid) await pay(made, base, at)
  if (!one.changed) return
  const { users, daysAgo, paid } = one.changed
  const contract = await contractById(db, made.companyId, await contractOf(db, base))
  if (!contract) throw new Error('a demo order was not paid')
  const changedAt = now - daysAgo * dayMs
  const day = dateIn(app.config.timeZone, changedAt)
  const { date: anchor } = contractAnchor(contract)
  const result = quoteChange({ ...asked, choice: { ...choice, users } }, segmentsOf(contract), day, anchor)
  const change = await place(made, one, { at: changedAt, type: 'change', users, result, baseId: contract.id })
  if (paid) await pay(made, change, changedAt)
}

interface Placed {
  at: number
  type: 'create' | 'change'
  users: number
  result: QuoteResult
  baseId?: number
}

async function place(made: Made, one: DemoOrder, { at, type, users, result, baseId }: Placed): Promise<number> {
  const { db, app, companyId, list } = made
  if (result.kind !== 'quote') throw new Error(`the demo order ${one.code} has no price: ${result.kind}`)
  const { quote } = result
  const amounts = amountsOf({ quote })
  const ordered = timestampIn(app.config.timeZone, at)
  const change = await takeChange(db, companyId)
  const id = await insertOrder(db, {
    company_id: companyId,
    code: one.code,
    name: one.name,
    description: null,
    type,
    stored: 'unpaid',
    invalid_why: null,
    currency: one.currency,
    user_mode: one.user_mode,
    users,
    modules: JSON.stringify(one.modules),
    uat: 0,
    client_type: 'saas',
    price_id: list.id,
    ...amounts,
    pay_amount: amounts.amount,
    period: one.years,
    period_start: quote.period_start,
    period_end: quote.period_end,
    uat_bound: app.config.uatBound,
    steps: JSON.stringify(explain(quote)),
    base_id: baseId ?? null,
    contract_id: null,
    due: type === 'change' ? dueWithin(ordered, quote.period_end) : dueOf(ordered),
    alert_date: null,
    change,
    create_time: at,
    update_time: at,
  })
  await showNewest(db, companyId, one.code, { change, time: at })
  return id
}

const orderOf = (db: Handle, id: number) =>
  db.selectFrom('service_order').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

const contractOf = async (db: Handle, id: number) => (await orderOf(db, id)).contract_id ?? 0

/** On the day it was ordered. */
async function pay({ db, app }: Made, id: number, at: number): Promise<void> {
  const { pay_amount: amount, currency } = await orderOf(db, id)
  const payment = { gateway: 'simulate', reference: `demo-${id}`, amount, currency, paidAt: at }
  const done = await applyPayment({ db, app, now: at }, { kind: 'order', id }, payment)
  if (done?.outcome !== 'applied') throw new Error(`the demo order ${id} was not paid: ${done?.outcome ?? 'missing'}`)
}
