/** Tests the parts of an order after a reload. They have prices only if these are certainly the prices of the order. */
import { describe, expect, it } from 'vitest'
import type { OrderRow } from '#contract/orders.ts'
import { type PriceData, quoteLocally } from '#features/orders/quote/local-quote.ts'
import { buildOrderBreakdown } from '#features/orders/quote/order-breakdown.ts'
import { lists } from '#tests/domain/fees/goldens.ts'

const module = { dependencies: [], conditions: [], any_condition: false }
const priceData: PriceData = {
  list: { ...lists.A, id: 7, effective_date: '2026-01-01' },
  modules: [
    { id: 1, code: 'core', name: 'Core', hidden: false, ...module },
    { id: 2, code: 'base', name: 'Platform', hidden: true, ...module, conditions: ['core'] },
  ],
  uatBound: 'floor',
  timeZone: 'Asia/Hong_Kong',
}
const terms = {
  currency: 'HKD' as const,
  user_mode: 'CONCURRENT' as const,
  users: 10,
  modules: ['core'],
  uat: 0 as const,
}
const start = '2026-03-01'
const quote = quoteLocally(priceData, { type: 'create', ...terms, start, years: 2 }, start)
if (quote.kind !== 'figure') throw new Error('there is a price')
const order = {
  ...terms,
  price_id: 7,
  period_start: start,
  period: 2,
  amount: quote.figure.amount,
} as unknown as OrderRow

const expectedModules = [
  { code: 'core', name: 'Core', auto: 0 },
  { code: 'base', name: 'Platform', auto: 1 },
]

describe('buildOrderBreakdown after a reload', () => {
  it('returns prices and steps if the cached price list gives the amount of the order', () => {
    const { modules, steps } = buildOrderBreakdown(order, null, priceData)
    expect(modules).toMatchObject(expectedModules)
    expect(modules.map(({ price }) => price)).toEqual(quote.figure.modules().map(({ price }) => price))
    expect(steps).toEqual(quote.figure.steps())
  })

  it.each([
    ['another price list is current', { ...order, price_id: 8 }],
    ['the current list gives another amount', { ...order, amount: '1.00' }],
  ])('returns the modules without prices if %s', (_, otherOrder) => {
    const { modules, steps } = buildOrderBreakdown(otherOrder, null, priceData)
    expect(modules).toEqual(expectedModules.map((expectedModule) => ({ ...expectedModule, price: null })))
    expect(steps).toBeNull()
  })

  it('names a module by its code if it is no longer in the catalogue', () => {
    const { modules } = buildOrderBreakdown({ ...order, price_id: 8, modules: ['core', 'gone'] }, null, priceData)
    expect(modules.map(({ name }) => name)).toEqual(['Core', 'gone', 'Platform'])
  })
})
