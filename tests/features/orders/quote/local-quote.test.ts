/**
 * Tests that the page computes the same amounts as the server, by the worked examples of the specification, and recognises the quote that a
 * user accepted.
 */
import { describe, expect, it, test } from 'vitest'
import { readAmount } from '#domain/money.ts'
import {
  calculateAmountWith,
  isAmountTooLarge,
  isSameFigure,
  type PriceData,
  quoteLocally,
  toDisplayedFigure,
  type RequestedOrder,
} from '#features/orders/quote/local-quote.ts'
import { type FeeBranch, buildFeeTree } from '#features/orders/quote/fee-tree.ts'
import { type GoldenCase, cases, lists } from '#tests/domain/fees/goldens.ts'

const module = { dependencies: [], conditions: [], any_condition: false }
const buildPriceData = (priceList: 'A' | 'B'): PriceData => ({
  list: { ...lists[priceList], id: 7, effective_date: '2026-01-01' },
  modules: [
    { id: 1, code: 'core', name: 'Core', hidden: false, ...module },
    { id: 2, code: 'base', name: 'Platform', hidden: true, ...module, conditions: ['core'] },
  ],
  uatBound: 'floor',
  timeZone: 'Asia/Hong_Kong',
})

function toTestOrder(feeCase: GoldenCase): RequestedOrder {
  const { currency, mode, users, modules, uat, years } = feeCase
  const commonFields = { currency, user_mode: mode, users, modules, uat }
  if (feeCase.kind === 'create')
    return { type: 'create', ...commonFields, start: feeCase.period_start ?? '2026-03-01', years }
  if (feeCase.kind === 'extend') return { type: 'extend', ...commonFields, end: feeCase.current_period_end, years }
  const segments = feeCase.segments.map(({ start, end, annual }) => ({ start, end, annualFee: readAmount(annual) }))
  return { type: 'change', ...commonFields, segments }
}

const pricedCases = cases.filter(({ kind }) => ['create', 'extend', 'change'].includes(kind))

test.each(pricedCases.map((feeCase) => [feeCase.id, feeCase] as const))(
  'quoteLocally returns the agreed amount for %s',
  (_, feeCase) => {
    const quote = quoteLocally(buildPriceData(feeCase.price), toTestOrder(feeCase), feeCase.today ?? '2026-03-01')
    if (feeCase.error) return expect(quote).toMatchObject({ kind: 'none', code: feeCase.error })
    expect(quote).toMatchObject({
      kind: 'figure',
      figure: { amount: feeCase.amount, contract_amount: feeCase.contract_amount },
    })
  },
)

test.each(pricedCases.filter(({ error }) => !error).map((feeCase) => [feeCase.id, feeCase] as const))(
  'The fee steps of %s add up exactly',
  (_, feeCase) => {
    const quote = quoteLocally(buildPriceData(feeCase.price), toTestOrder(feeCase), feeCase.today ?? '2026-03-01')
    if (quote.kind !== 'figure') throw new Error('there is a price')
    const steps = quote.figure.steps()
    const tree = buildFeeTree(steps)
    expect(tree?.amount).toBe(feeCase.amount)
    const sumParts = (parts: FeeBranch[]) => parts.reduce((sum, { amount }) => sum + readAmount(amount), 0n)
    const listBranches = (branch: FeeBranch): FeeBranch[] => [branch, ...branch.branches.flatMap(listBranches)]
    const branches = tree ? listBranches(tree) : []
    // The amount due of a change is a difference, and years are a product. Every other amount is the sum of its parts.
    for (const { code, amount, branches: parts } of branches)
      if (parts.length > 0 && !['due', 'years'].includes(code))
        expect([code, sumParts(parts)]).toEqual([code, readAmount(amount)])
    // The tree must contain every step with a price.
    const countedCodes = ['users', 'module', 'uat', 'minimum', 'segment', 'paid']
    const listCountedCodes = (steps: { code: string }[]) =>
      steps.map(({ code }) => code).filter((code) => countedCodes.includes(code))
    expect(listCountedCodes(branches).toSorted()).toEqual(listCountedCodes(steps).toSorted())
  },
)

test('What a smaller contract does not use becomes credit with the setting, and is discarded without it', () => {
  const segments = [{ start: '2026-01-01', end: '2027-01-01', annualFee: readAmount('900000.00') }]
  const smaller = { currency: 'HKD', user_mode: 'CONCURRENT', users: 10, modules: ['core'], uat: 0 } as const
  const getFigure = (isUnusedCredited: boolean) => {
    const priceData = { ...buildPriceData('A'), isUnusedCredited }
    const quote = quoteLocally(priceData, { type: 'change', ...smaller, segments }, '2026-03-01')
    if (quote.kind !== 'figure') throw new Error('there is a price')
    return quote.figure
  }
  const [discarding, crediting] = [getFigure(false), getFigure(true)]
  expect(readAmount(discarding.discarded_amount)).toBeGreaterThan(0n)
  expect(discarding).toMatchObject({ amount: '0.00', credited_amount: '0.00' })
  expect(discarding.steps().at(-1)?.values).not.toHaveProperty('credited')
  const credited_amount = discarding.discarded_amount
  expect(crediting).toMatchObject({ amount: '0.00', discarded_amount: '0.00', credited_amount })
  expect(crediting.steps().at(-1)).toMatchObject({ code: 'due', values: { credited: credited_amount } })
})

const requestedOrder: RequestedOrder = {
  type: 'create',
  currency: 'HKD',
  user_mode: 'CONCURRENT',
  users: 10,
  modules: ['core'],
  uat: 0,
  start: '2026-03-01',
  years: 2,
}

describe('calculateAmountWith', () => {
  it('returns the difference of two complete fees, including minimum fee and years', () => {
    expect(calculateAmountWith(buildPriceData('A'), requestedOrder, '2026-03-01', ['core', 'fin'])).toBe('84000.00')
    expect(calculateAmountWith(buildPriceData('A'), { ...requestedOrder, users: 1 }, '2026-03-01', [])).toBe('40000.00')
  })
  it('returns no amount for a module without a price', () => {
    expect(calculateAmountWith(buildPriceData('A'), requestedOrder, '2026-03-01', ['core', 'gone'])).toBeNull()
    expect(quoteLocally(buildPriceData('A'), { ...requestedOrder, modules: ['gone'] }, '2026-03-01')).toEqual({
      kind: 'none',
      code: 'NOT_LISTED',
      modules: ['gone'],
    })
  })
})

describe('the figure of a quote (D17, D89)', () => {
  const quote = quoteLocally(buildPriceData('A'), requestedOrder, '2026-03-01')
  if (quote.kind !== 'figure') throw new Error('there is a price')
  const displayedFigure = toDisplayedFigure(quote.figure, { id: 7 })
  it('is the same as another with equal amounts and days', () => {
    expect(isSameFigure(displayedFigure, { ...quote.figure })).toBe(true)
  })
  it.each(['amount', 'annual', 'contract_amount', 'residual_amount', 'period_start', 'period_end'] as const)(
    'is not the same as another if %s differs',
    (name) => expect(isSameFigure(displayedFigure, { ...quote.figure, [name]: '0.01' })).toBe(false),
  )
  it('has modules that are added automatically and cost nothing', () => {
    expect(quote.figure.modules()).toEqual([
      { code: 'core', name: 'Core', price: '12000.00', auto: 0 },
      { code: 'base', name: 'Platform', price: '0.00', auto: 1 },
    ])
  })
})

describe('an extension that is quoted on the device', () => {
  const { years: _years, start: _start, ...terms } = { ...requestedOrder, type: 'extend' as const }
  const quoteExtension = (start: string, end: string, years: number, today: string, overrides = {}) =>
    quoteLocally(buildPriceData('A'), { ...terms, start, end, years, ...overrides }, today)

  it('is refused beyond 99 years from the first start, with the remaining years (fault 3a)', () => {
    const refusal = { kind: 'none', code: 'TOO_MANY_YEARS', years: 49, modules: [] }
    expect(quoteExtension('2026-03-02', '2076-03-02', 50, '2030-01-01')).toEqual(refusal)
    expect(quoteExtension('2026-03-02', '2076-03-02', 49, '2030-01-01').kind).toBe('figure')
    expect(quoteExtension('2026-03-02', '2125-03-02', 1, '2030-01-01')).toMatchObject({
      code: 'NO_YEARS_LEFT',
      years: 0,
    })
    expect(quoteExtension('2026-03-02', '2126-03-02', 1, '2030-01-01')).toMatchObject({
      code: 'NO_YEARS_LEFT',
      years: 0,
    })
    expect(quoteExtension('2026-03-02', '2076-03-02', 99, '2076-03-02').kind).toBe('figure')
  })

  it('is refused if the amount is too large (fault 3a)', () => {
    const list = { ...buildPriceData('A').list, min_fee_hkd: '9999999999999.99' }
    const extension = { ...terms, start: '2026-03-02', end: '2027-03-02', years: 2 }
    const quote = quoteLocally({ ...buildPriceData('A'), list }, extension, '2026-03-02')
    expect(quote).toEqual({ kind: 'none', code: 'AMOUNT_TOO_LARGE', modules: [] })
    expect([isAmountTooLarge(quote), isAmountTooLarge(null)]).toEqual([true, false])
  })

  it('ends on the day counted from the anchor of the history, or from the first start (fault 8)', () => {
    const endDates = [{}, { anchor_date: '2028-02-29', anchor_months: 12 }].map((anchor) => {
      const quote = quoteExtension('2028-02-29', '2029-02-28', 3, '2028-06-01', anchor)
      return quote.kind === 'figure' && quote.figure.period_end
    })
    expect(endDates).toEqual(['2032-02-29', '2032-02-29'])
    const secondExtension = quoteExtension('2029-02-28', '2030-02-28', 2, '2029-06-01', {
      anchor_date: '2028-02-29',
      anchor_months: 24,
    })
    expect(secondExtension).toMatchObject({ figure: { period_end: '2032-02-29' } })
  })
})
