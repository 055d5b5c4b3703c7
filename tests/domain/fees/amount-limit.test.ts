/**
 * Amounts have at most 13 digits before the decimal point, on the wire and in the database. Orders of larger amounts are refused, and
 * traffic is charged only up to this limit.
 */
import { expect, test } from 'vitest'
import { isTooLarge, quoteChange, quoteCreate } from '#domain/fees/quote.ts'
import { calculateTrafficAmount } from '#domain/fees/traffic.ts'
import { maxAmount, writeAmount } from '#domain/money.ts'
import { lists } from '#tests/domain/fees/goldens.ts'

const quoteInput = {
  list: { ...lists.A, min_fee_hkd: writeAmount(maxAmount) },
  currency: 'HKD' as const,
  terms: { user_mode: 'CONCURRENT' as const, users: 10, modules: ['core'], uat: 0 as const },
}

test('A quote of the largest amount is not too large, and a larger quote is (fault 3a)', () => {
  expect(writeAmount(maxAmount)).toBe('9999999999999.99')
  const results = [1, 2].map((years) => quoteCreate(quoteInput, '2026-03-01', years))
  expect(results.map((result) => result.kind === 'quote' && isTooLarge(result.quote))).toEqual([false, true])
  // For a change, the fee of a full year must not be too large either, even if little of the year is left.
  const list = { ...lists.A, module: [{ code: 'core', hkd: '9999999999999.99', usd: '1.00', rmb: '1.00' }] }
  const segments = [{ start: '2026-03-01', end: '2027-03-01', annualFee: 1n }]
  const change = quoteChange({ ...quoteInput, list }, segments, '2027-02-28')
  expect(change.kind === 'quote' && isTooLarge(change.quote)).toBe(true)
})

test('The amount of a traffic month is limited to the largest amount (fault 3a)', () => {
  expect(calculateTrafficAmount(10_000n, 0n, maxAmount)).toBe(maxAmount)
  expect(calculateTrafficAmount(6_300n, 5_000n, 1_250n)).toBe(16_250n)
})
