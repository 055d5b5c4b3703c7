/** The figure in the page is the server's: the worked examples of the specification, and what a person agreed to. */
import { describe, expect, it, test } from 'vitest'
import { readAmount } from '#domain/money.ts'
import {
  amountAfter,
  isAmountTooLarge,
  isAsShown,
  type PriceData,
  quoteLocally,
  shownOf,
  type Wish,
} from '#features/orders/quote/local-quote.ts'
import { type Branch, treeOf } from '#features/orders/quote/fee-tree.ts'
import { type Case, cases, lists } from '#tests/domain/fees/goldens.ts'

const module = { dependencies: [], conditions: [], any_condition: false }
const market = (price: 'A' | 'B'): PriceData => ({
  list: { ...lists[price], id: 7, effective_date: '2026-01-01' },
  modules: [
    { id: 1, code: 'core', name: 'Core', hidden: false, ...module },
    { id: 2, code: 'base', name: 'Platform', hidden: true, ...module, conditions: ['core'] },
  ],
  uatBound: 'floor',
  zone: 'Asia/Hong_Kong',
})

function wishOf(one: Case): Wish {
  const { currency, mode, users, modules, uat, years } = one
  const asking = { currency, user_mode: mode, users, modules, uat }
  if (one.kind === 'create') return { type: 'create', ...asking, start: one.period_start ?? '2026-03-01', years }
  if (one.kind === 'extend') return { type: 'extend', ...asking, end: one.current_period_end, years }
  const segments = one.segments.map(({ start, end, annual }) => ({ start, end, annual: readAmount(annual) }))
  return { type: 'change', ...asking, segments }
}

const priced = cases.filter(({ kind }) => ['create', 'extend', 'change'].includes(kind))

test.each(priced.map((one) => [one.id, one] as const))('%s comes to the agreed sum', (_, one) => {
  const found = quoteLocally(market(one.price), wishOf(one), one.today ?? '2026-03-01')
  if (one.error) return expect(found).toMatchObject({ kind: 'none', code: one.error })
  expect(found).toMatchObject({ kind: 'figure', figure: { amount: one.amount, contract_amount: one.contract_amount } })
})

test.each(priced.filter(({ error }) => !error).map((one) => [one.id, one] as const))(
  '%s is explained by parts that add up to the cent',
  (_, one) => {
    const found = quoteLocally(market(one.price), wishOf(one), one.today ?? '2026-03-01')
    if (found.kind !== 'figure') throw new Error('there is a price')
    const steps = found.figure.steps()
    const tree = treeOf(steps)
    expect(tree?.amount).toBe(one.amount)
    const total = (parts: Branch[]) => parts.reduce((sum, { amount }) => sum + readAmount(amount), 0n)
    const all = (branch: Branch): Branch[] => [branch, ...branch.parts.flatMap(all)]
    const told = tree ? all(tree) : []
    // What is due of a change is a difference, and years are a product: all else is a sum of its parts.
    for (const { code, amount, parts } of told)
      if (parts.length > 0 && !['due', 'years'].includes(code))
        expect([code, total(parts)]).toEqual([code, readAmount(amount)])
    // Not one line of the price list that was counted is left out.
    const lines = ['users', 'module', 'uat', 'minimum', 'segment', 'paid']
    const codes = (given: { code: string }[]) => given.map(({ code }) => code).filter((code) => lines.includes(code))
    expect(codes(told).toSorted()).toEqual(codes(steps).toSorted())
  },
)

const wish: Wish = {
  type: 'create',
  currency: 'HKD',
  user_mode: 'CONCURRENT',
  users: 10,
  modules: ['core'],
  uat: 0,
  start: '2026-03-01',
  years: 2,
}

describe('what a toggle does', () => {
  it('is the difference of two whole prices, the minimum fee and the years in it', () => {
    expect(amountAfter(market('A'), wish, '2026-03-01', ['core', 'fin'])).toBe('84000.00')
    expect(amountAfter(market('A'), { ...wish, users: 1 }, '2026-03-01', [])).toBe('40000.00')
  })
  it('is not said for a module without a price', () => {
    expect(amountAfter(market('A'), wish, '2026-03-01', ['core', 'gone'])).toBeNull()
    expect(quoteLocally(market('A'), { ...wish, modules: ['gone'] }, '2026-03-01')).toEqual({
      kind: 'none',
      code: 'NOT_LISTED',
      modules: ['gone'],
    })
  })
})

describe('what a person agreed to (D17, D89)', () => {
  const found = quoteLocally(market('A'), wish, '2026-03-01')
  if (found.kind !== 'figure') throw new Error('there is a price')
  const shown = shownOf(found.figure, { id: 7 })
  it('is the same where the server says the same sums and days', () => {
    expect(isAsShown(shown, { ...found.figure })).toBe(true)
  })
  it.each(['amount', 'annual', 'contract_amount', 'residual_amount', 'period_start', 'period_end'] as const)(
    'is another one where %s differs',
    (name) => expect(isAsShown(shown, { ...found.figure, [name]: '0.01' })).toBe(false),
  )
  it('names the modules that join by themselves, which cost nothing', () => {
    expect(found.figure.modules()).toEqual([
      { code: 'core', name: 'Core', price: '12000.00', auto: 0 },
      { code: 'base', name: 'Platform', price: '0.00', auto: 1 },
    ])
  })
})

describe('an extension that is quoted on the device', () => {
  const { years: _years, start: _start, ...choice } = { ...wish, type: 'extend' as const }
  const extend = (start: string, end: string, years: number, today: string, more = {}) =>
    quoteLocally(market('A'), { ...choice, start, end, years, ...more }, today)

  it('fault 3a is refused beyond 99 years from the first start, and says how many are left', () => {
    const refused = { kind: 'none', code: 'TOO_MANY_YEARS', years: 49, modules: [] }
    expect(extend('2026-03-02', '2076-03-02', 50, '2030-01-01')).toEqual(refused)
    expect(extend('2026-03-02', '2076-03-02', 49, '2030-01-01').kind).toBe('figure')
    expect(extend('2026-03-02', '2125-03-02', 1, '2030-01-01')).toMatchObject({ code: 'NO_YEARS_LEFT', years: 0 })
    expect(extend('2026-03-02', '2126-03-02', 1, '2030-01-01')).toMatchObject({ code: 'NO_YEARS_LEFT', years: 0 })
    expect(extend('2026-03-02', '2076-03-02', 99, '2076-03-02').kind).toBe('figure')
  })

  it('fault 3a is refused where no amount can say it', () => {
    const list = { ...market('A').list, min_fee_hkd: '9999999999999.99' }
    const asking = { ...choice, start: '2026-03-02', end: '2027-03-02', years: 2 }
    const quote = quoteLocally({ ...market('A'), list }, asking, '2026-03-02')
    expect(quote).toEqual({ kind: 'none', code: 'AMOUNT_TOO_LARGE', modules: [] })
    expect([isAmountTooLarge(quote), isAmountTooLarge(null)]).toEqual([true, false])
  })

  it('fault 8 ends where the contract counts to, with the anchor that the history has, or its first start', () => {
    const ends = [{}, { anchor_date: '2028-02-29', anchor_months: 12 }].map((anchor) => {
      const quote = extend('2028-02-29', '2029-02-28', 3, '2028-06-01', anchor)
      return quote.kind === 'figure' && quote.figure.period_end
    })
    expect(ends).toEqual(['2032-02-29', '2032-02-29'])
    const anew = extend('2029-02-28', '2030-02-28', 2, '2029-06-01', { anchor_date: '2028-02-29', anchor_months: 24 })
    expect(anew).toMatchObject({ figure: { period_end: '2032-02-29' } })
  })
})
