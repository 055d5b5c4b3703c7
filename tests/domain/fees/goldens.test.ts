/** Every agreed example to the cent (contracts 9, D1 to D23). */
import { describe, expect, test } from 'vitest'
import { addYears, lastDay } from '#domain/period.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { backupAmount, backupPeriod } from '#domain/fees/backup.ts'
import { explain, explainBackup, explainTraffic } from '#domain/fees/explain.ts'
import { type Asked, quoteChange, quoteCreate, quoteExtension, type QuoteResult } from '#domain/fees/quote.ts'
import { extraTraffic, trafficAmount } from '#domain/fees/traffic.ts'
import { type Case, cases, lists } from '#tests/domain/fees/goldens.ts'

const of = (...kinds: Case['kind'][]) => cases.filter(({ kind }) => kinds.includes(kind))

const asked = ({ price, currency, mode, users, modules, uat }: Case): Asked => ({
  list: lists[price],
  currency,
  choice: { user_mode: mode, users, modules, uat },
})

const segmentsOf = ({ segments }: Case) =>
  segments.map(({ annual, ...days }) => ({ ...days, annual: readAmount(annual) }))

function quoted(one: Case): QuoteResult {
  if (one.kind === 'change') return quoteChange(asked(one), segmentsOf(one), one.today)
  if (one.kind === 'extend') return quoteExtension(asked(one), one.current_period_end, one.today, one.years)
  return quoteCreate(asked(one), one.period_start ?? '2026-03-01', one.years)
}

const quotes = of('create', 'change', 'extend')

test.each(quotes.filter(({ error }) => error).map((one) => [one.id, one] as const))('%s is refused', (_, one) => {
  expect(quoted(one)).toEqual({ kind: one.error })
})

describe.each(quotes.filter(({ error }) => !error).map((one) => [one.id, one] as const))('%s', (_, one) => {
  const result = quoted(one)

  test('comes to what was agreed', () => {
    if (result.kind !== 'quote') throw new Error(`refused: ${result.kind}`)
    const { quote } = result
    const { annual } = quote
    const usersSum = annual.users.reduce((sum, { amount }) => sum + amount, 0n)
    const told = {
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
      shown_expiry: lastDay(quote.period_end),
      factors: quote.type === 'change' ? quote.stretches.map(factorOf) : undefined,
    }
    const agreed = Object.keys(told).filter((name) => one[name as keyof Case] !== undefined)
    expect(agreed.length).toBeGreaterThan(6)
    for (const name of agreed) expect([name, told[name as keyof typeof told]]).toEqual([name, one[name as keyof Case]])
  })

  test('is explained by steps that end with what is due', () => {
    if (result.kind !== 'quote') throw new Error(`refused: ${result.kind}`)
    const steps = explain(result.quote)
    expect(steps.at(-1)).toMatchObject({ code: 'due', amount: one.amount })
    expect(steps.find(({ code }) => code === 'annual')?.amount).toBe(one.annual ?? one.annualFee)
    for (const { rule } of steps) expect(rule).toMatch(/^(D\d+|contracts 9)$/)
  })
})

type Told = Extract<QuoteResult, { kind: 'quote' }>['quote'] & { type: 'change' }
const factorOf = ({ start, end, factor }: Told['stretches'][number]) =>
  `${start}..${end}: ${'years' in factor ? `${factor.years} (whole)` : `${factor.days}/365`}`

test.each(of('backup').map((one) => [one.id, one] as const))('%s', (_, one) => {
  const { amount, payAmount } = backupAmount(readAmount(one.annual), one.months, BigInt(one.discount) * 100n)
  expect([writeAmount(amount), writeAmount(payAmount)]).toEqual([one.amount, one.pay_amount])
})

test.each(of('backup').map((one) => [one.id, one] as const))('%s is explained by steps that add up', (_, one) => {
  const [annual, discount] = [readAmount(one.annual), BigInt(one.discount) * 100n]
  const asked = { annual, months: one.months, discount, start: '2026-03-02', end: '2027-03-02' }
  const steps = explainBackup(asked)
  const due = steps.at(-1)
  expect(due).toMatchObject({ code: 'due', amount: one.pay_amount })
  const sum = steps.slice(0, -1).reduce((sofar, { amount }) => sofar + readAmount(amount), 0n)
  expect(writeAmount(sum)).toBe(one.pay_amount)
  expect(steps.map(({ code }) => code)).toEqual(['months', ...(one.discount > 0 ? ['discount'] : []), 'due'])
  expect(steps[0]).toMatchObject({ amount: one.amount, values: { months: String(one.months), to: '2027-03-02' } })
})

test.each(of('traffic').map((one) => [one.id, one] as const))('%s', (_, one) => {
  const [measured, free] = [readAmount(one.pdb_traffic), BigInt(one.free) * 100n]
  expect(extraTraffic(measured, free)).toBe(readAmount(one.extra))
  expect(writeAmount(trafficAmount(measured, free, readAmount(one.up)))).toBe(one.amount)
  expect(explainTraffic(measured, free, readAmount(one.up))).toEqual([
    {
      code: 'traffic',
      rule: 'D22',
      amount: one.amount,
      values: { gb: writeAmount(readAmount(one.extra)), price: one.up },
    },
    { code: 'due', rule: 'D25', amount: one.amount, values: {} },
  ])
})

describe('the other readings are another product', () => {
  const g06 = cases.find(({ id }) => id === 'G06') as Case
  test('G06 with the bound read as a ceiling (D1)', () => {
    const result = quoteCreate({ ...asked(g06), uatBound: 'ceiling' }, '2026-03-01', g06.years)
    expect(result).toMatchObject({ quote: { amount: readAmount('155001.00') } })
  })
})

describe('a backup period (D20, D21)', () => {
  const asking = { today: '2026-09-14', present: null, contractEnd: '2027-03-01', period: 1, unit: 'year' as const }

  test('is cut at the end of the contract, and started months are paid for', () => {
    expect(backupPeriod(asking)).toEqual({ start: '2026-09-14', end: '2027-03-01', months: 6, isCut: true })
    expect(backupPeriod({ ...asking, today: '2026-09-01' })).toMatchObject({ months: 6, isCut: true })
    expect(backupPeriod({ ...asking, today: '2026-08-31' })).toMatchObject({ months: 7, isCut: true })
  })

  test('goes on from the present one, and is whole where the contract is long enough', () => {
    const later = { ...asking, present: '2026-10-31', contractEnd: '2029-01-01' }
    expect(backupPeriod(later)).toEqual({ start: '2026-10-31', end: '2027-10-31', months: 12, isCut: false })
    expect(backupPeriod({ ...later, period: 4, unit: 'month' })).toMatchObject({ end: '2027-02-28', months: 4 })
  })

  test('is none where nothing of the contract is left', () => {
    expect(backupPeriod({ ...asking, present: '2027-03-01' })).toBeNull()
  })
})

test('years are added as calendars do it, and a whole year is known by it (D19)', () => {
  expect([addYears('2028-02-29', 1), addYears('2028-02-29', 4)]).toEqual(['2029-02-28', '2032-02-29'])
})
