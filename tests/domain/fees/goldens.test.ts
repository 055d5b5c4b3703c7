/** Checks every agreed example to the cent (contracts 9, D1 to D23). */
import { describe, expect, test } from 'vitest'
import { addYears, getLastDay } from '#domain/plain-dates.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { calculateBackupAmount, calculateBackupPeriod } from '#domain/fees/backup.ts'
import { explainQuote, explainBackup, explainTraffic } from '#domain/fees/explain.ts'
import { type QuoteInput, quoteChange, quoteCreate, quoteExtension, type QuoteResult } from '#domain/fees/quote.ts'
import { calculateExtraTraffic, calculateTrafficAmount } from '#domain/fees/traffic.ts'
import { type GoldenCase, cases, lists } from '#tests/domain/fees/goldens.ts'

const filterCases = (...kinds: GoldenCase['kind'][]) => cases.filter(({ kind }) => kinds.includes(kind))

const buildQuoteInput = ({ price, currency, mode, users, modules, uat }: GoldenCase): QuoteInput => ({
  list: lists[price],
  currency,
  terms: { user_mode: mode, users, modules, uat },
})

const buildSegments = ({ segments }: GoldenCase) =>
  segments.map(({ annual, ...days }) => ({ ...days, annualFee: readAmount(annual) }))

function quoteCase(goldenCase: GoldenCase): QuoteResult {
  if (goldenCase.kind === 'change')
    return quoteChange(buildQuoteInput(goldenCase), buildSegments(goldenCase), goldenCase.today)
  if (goldenCase.kind === 'extend')
    return quoteExtension(
      buildQuoteInput(goldenCase),
      goldenCase.current_period_end,
      goldenCase.today,
      goldenCase.years,
    )
  return quoteCreate(buildQuoteInput(goldenCase), goldenCase.period_start ?? '2026-03-01', goldenCase.years)
}

const quoteCases = filterCases('create', 'change', 'extend')

test.each(quoteCases.filter(({ error }) => error).map((goldenCase) => [goldenCase.id, goldenCase] as const))(
  'The example %s is refused',
  (_, goldenCase) => {
    expect(quoteCase(goldenCase)).toEqual({ kind: goldenCase.error })
  },
)

describe.each(quoteCases.filter(({ error }) => !error).map((goldenCase) => [goldenCase.id, goldenCase] as const))(
  'The example %s',
  (_, goldenCase) => {
    const result = quoteCase(goldenCase)

    test('has the agreed amounts', () => {
      if (result.kind !== 'quote') throw new Error(`refused: ${result.kind}`)
      const { quote } = result
      const { annualFee: annual } = quote
      const usersSum = annual.users.reduce((sum, { amount }) => sum + amount, 0n)
      const quotedFields = {
        tiers: annual.users.map(({ users, price }) => `${users}x${writeAmount(price)}`),
        tier_sum: writeAmount(usersSum),
        module_sum: writeAmount(annual.sum - usersSum),
        sum: writeAmount(annual.sum),
        uat_raw: writeAmount(annual.uat?.share ?? 0n),
        uat_fee: writeAmount(annual.uat?.fee ?? 0n),
        total: writeAmount(annual.total),
        annual: writeAmount(annual.fee),
        annualFee: writeAmount(annual.fee),
        contract_amount: writeAmount(quote.contract_amount),
        residual_amount: writeAmount(quote.residual_amount),
        amount: writeAmount(quote.amount),
        period_start: quote.period_start,
        period_end: quote.period_end,
        shown_expiry: getLastDay(quote.period_end),
        factors: quote.type === 'change' ? quote.remainingSegments.map(formatFactor) : undefined,
      }
      const agreedNames = Object.keys(quotedFields).filter((name) => goldenCase[name as keyof GoldenCase] !== undefined)
      expect(agreedNames.length).toBeGreaterThan(6)
      for (const name of agreedNames)
        expect([name, quotedFields[name as keyof typeof quotedFields]]).toEqual([
          name,
          goldenCase[name as keyof GoldenCase],
        ])
    })

    test('is explained by steps that end with the amount due', () => {
      if (result.kind !== 'quote') throw new Error(`refused: ${result.kind}`)
      const steps = explainQuote(result.quote)
      expect(steps.at(-1)).toMatchObject({ code: 'due', amount: goldenCase.amount })
      expect(steps.find(({ code }) => code === 'annual')?.amount).toBe(goldenCase.annual ?? goldenCase.annualFee)
      for (const { rule } of steps) expect(rule).toMatch(/^(D\d+|contracts 9)$/)
    })
  },
)

type ChangeQuote = Extract<QuoteResult, { kind: 'quote' }>['quote'] & { type: 'change' }
const formatFactor = ({ start, end, factor }: ChangeQuote['remainingSegments'][number]) =>
  `${start}..${end}: ${'years' in factor ? `${factor.years} (whole)` : `${factor.days}/365`}`

test.each(filterCases('backup').map((goldenCase) => [goldenCase.id, goldenCase] as const))(
  'The backup example %s has the agreed amounts',
  (_, goldenCase) => {
    const { amount, payAmount } = calculateBackupAmount(
      readAmount(goldenCase.annual),
      goldenCase.months,
      BigInt(goldenCase.discount) * 100n,
    )
    expect([writeAmount(amount), writeAmount(payAmount)]).toEqual([goldenCase.amount, goldenCase.pay_amount])
  },
)

test.each(filterCases('backup').map((goldenCase) => [goldenCase.id, goldenCase] as const))(
  'The backup example %s is explained by steps that add up',
  (_, goldenCase) => {
    const [annual, discount] = [readAmount(goldenCase.annual), BigInt(goldenCase.discount) * 100n]
    const explainInput = {
      annualFee: annual,
      months: goldenCase.months,
      discount,
      start: '2026-03-02',
      end: '2027-03-02',
    }
    const steps = explainBackup(explainInput)
    const due = steps.at(-1)
    expect(due).toMatchObject({ code: 'due', amount: goldenCase.pay_amount })
    const sum = steps.slice(0, -1).reduce((subtotal, { amount }) => subtotal + readAmount(amount), 0n)
    expect(writeAmount(sum)).toBe(goldenCase.pay_amount)
    expect(steps.map(({ code }) => code)).toEqual(['months', ...(goldenCase.discount > 0 ? ['discount'] : []), 'due'])
    expect(steps[0]).toMatchObject({
      amount: goldenCase.amount,
      values: { months: String(goldenCase.months), to: '2027-03-02' },
    })
  },
)

test.each(filterCases('traffic').map((goldenCase) => [goldenCase.id, goldenCase] as const))(
  'The traffic example %s has the agreed amounts and steps',
  (_, goldenCase) => {
    const [measured, free] = [readAmount(goldenCase.pdb_traffic), BigInt(goldenCase.free) * 100n]
    expect(calculateExtraTraffic(measured, free)).toBe(readAmount(goldenCase.extra))
    expect(writeAmount(calculateTrafficAmount(measured, free, readAmount(goldenCase.up)))).toBe(goldenCase.amount)
    expect(explainTraffic(measured, free, readAmount(goldenCase.up))).toEqual([
      {
        code: 'traffic',
        rule: 'D22',
        amount: goldenCase.amount,
        values: { gb: writeAmount(readAmount(goldenCase.extra)), price: goldenCase.up },
      },
      { code: 'due', rule: 'D25', amount: goldenCase.amount, values: {} },
    ])
  },
)

describe('The other reading of a rule gives another amount', () => {
  const g06 = cases.find(({ id }) => id === 'G06') as GoldenCase
  test('G06 costs 155,001.00 if the UAT bound is a ceiling (D1)', () => {
    const result = quoteCreate({ ...buildQuoteInput(g06), uatBound: 'ceiling' }, '2026-03-01', g06.years)
    expect(result).toMatchObject({ quote: { amount: readAmount('155001.00') } })
  })
})

describe('calculateBackupPeriod (D20, D21)', () => {
  const periodInput = {
    today: '2026-09-14',
    currentEnd: null,
    contractEnd: '2027-03-01',
    period: 1,
    unit: 'year' as const,
  }

  test('ends the period with the contract, and counts started months', () => {
    expect(calculateBackupPeriod(periodInput)).toEqual({
      start: '2026-09-14',
      end: '2027-03-01',
      months: 6,
      isCut: true,
    })
    expect(calculateBackupPeriod({ ...periodInput, today: '2026-09-01' })).toMatchObject({ months: 6, isCut: true })
    expect(calculateBackupPeriod({ ...periodInput, today: '2026-08-31' })).toMatchObject({ months: 7, isCut: true })
  })

  test('continues from the end of the current period, at full length if the contract is long enough', () => {
    const laterInput = { ...periodInput, currentEnd: '2026-10-31', contractEnd: '2029-01-01' }
    expect(calculateBackupPeriod(laterInput)).toEqual({
      start: '2026-10-31',
      end: '2027-10-31',
      months: 12,
      isCut: false,
    })
    expect(calculateBackupPeriod({ ...laterInput, period: 4, unit: 'month' })).toMatchObject({
      end: '2027-02-28',
      months: 4,
    })
  })

  test('returns null if nothing of the contract is left', () => {
    expect(calculateBackupPeriod({ ...periodInput, currentEnd: '2027-03-01' })).toBeNull()
  })
})

test('addYears moves 29 February to the 28th unless the year is a leap year (D19)', () => {
  expect([addYears('2028-02-29', 1), addYears('2028-02-29', 4)]).toEqual(['2029-02-28', '2032-02-29'])
})
