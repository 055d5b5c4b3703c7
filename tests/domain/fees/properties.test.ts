/** Tests properties of fees that hold for every order and every price list. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { currencies, divideRounded, readAmount, writeAmount } from '#domain/money.ts'
import { addMonths, addYears } from '#domain/plain-dates.ts'
import { quoteAnnualFee, type ContractTerms } from '#domain/fees/annual.ts'
import { explainQuote, type FeeStep } from '#domain/fees/explain.ts'
import { type PriceList, getCurrencyPrices } from '#domain/fees/price-list.ts'
import { applyChange, type PaidSegment } from '#domain/fees/prorate.ts'
import { type QuoteInput, quoteChange, quoteCreate, quoteExtension, type QuoteResult } from '#domain/fees/quote.ts'

const runs = { numRuns: 300 }
const amount = (max = 5_000_000) => fc.integer({ min: 0, max }).map((cents) => writeAmount(BigInt(cents)))
const charges = fc.record({ hkd: amount(), usd: amount(), rmb: amount() })
const codes = ['core', 'fin', 'scm', 'hr', 'doc', 'pos']

/** Ranges that start at 1 and follow each other without a gap. The last one ends at the largest number. */
const ranges = fc
  .tuple(fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 19 }), fc.array(charges, { minLength: 20 }))
  .map(([ends, prices]) => {
    const tos = [...ends.toSorted((a, b) => a - b), 999_999]
    return tos.map((to, index) => ({
      from: (tos[index - 1] ?? 0) + 1,
      to,
      ...(prices[index] as (typeof prices)[number]),
    }))
  })

const list: fc.Arbitrary<PriceList> = fc.record({
  uat_charge: amount(99_999),
  uat_cap_hkd: amount(),
  uat_cap_usd: amount(),
  uat_cap_rmb: amount(),
  min_concurrent_user: fc.constant(1),
  min_named_user: fc.constant(1),
  min_fee_hkd: amount(),
  min_fee_usd: amount(),
  min_fee_rmb: amount(),
  concurrentUser: ranges,
  namedUser: ranges,
  module: fc
    .array(charges, { minLength: 6, maxLength: 6 })
    .map((all) => all.map((row, index) => ({ code: codes[index] ?? '', ...row }))),
})

const choice: fc.Arbitrary<ContractTerms> = fc.record({
  user_mode: fc.constantFrom('CONCURRENT', 'NAMED'),
  users: fc.integer({ min: 1, max: 600 }),
  modules: fc.subarray(codes, { minLength: 1 }),
  uat: fc.constantFrom(0, 1),
})
const quoteInputs: fc.Arbitrary<QuoteInput> = fc.record({
  list,
  currency: fc.constantFrom(...currencies),
  terms: choice,
})

const day = fc
  .integer({ min: 0, max: 4_000 })
  .map((days) => new Date(Date.UTC(2024, 0, 1 + days)).toISOString().slice(0, 10))
const years = fc.integer({ min: 1, max: 9 })

function requireQuote(result: QuoteResult) {
  if (result.kind !== 'quote') throw new Error(`refused: ${result.kind}`)
  return result.quote
}
const calculateFee = (input: QuoteInput) => {
  const result = quoteAnnualFee(getCurrencyPrices(input.list, input.currency), input.terms)
  if (result.kind !== 'priced') throw new Error(result.kind)
  return result.annualFee.fee
}
const sumSteps = (steps: readonly FeeStep[], ...names: FeeStep['code'][]) =>
  steps.filter(({ code }) => names.includes(code)).reduce((sum, step) => sum + readAmount(step.amount), 0n)

describe('A price list without negative prices', () => {
  test('More users never cost less', () => {
    fc.assert(
      fc.property(quoteInputs, fc.integer({ min: 1, max: 400 }), (quoteInput, addedUsers) => {
        const largerInput = {
          ...quoteInput,
          terms: { ...quoteInput.terms, users: quoteInput.terms.users + addedUsers },
        }
        expect(calculateFee(largerInput)).toBeGreaterThanOrEqual(calculateFee(quoteInput))
      }),
      runs,
    )
  })

  test('More modules never cost less', () => {
    fc.assert(
      fc.property(quoteInputs, (quoteInput) => {
        const fullInput = { ...quoteInput, terms: { ...quoteInput.terms, modules: codes } }
        expect(calculateFee(fullInput)).toBeGreaterThanOrEqual(calculateFee(quoteInput))
      }),
      runs,
    )
  })
})

test('The order of modules, and a repeated module, do not change the fee', () => {
  fc.assert(
    fc.property(quoteInputs, (quoteInput) => {
      const { modules } = quoteInput.terms
      const reorderedInput = {
        ...quoteInput,
        terms: { ...quoteInput.terms, modules: [...modules.toReversed(), ...modules] },
      }
      expect(calculateFee(reorderedInput)).toBe(calculateFee(quoteInput))
    }),
    runs,
  )
})

test('A cached sum of a selection is used only for its price list and currency', () => {
  fc.assert(
    fc.property(quoteInputs, list, (quoteInput, other) => {
      const { terms: choice } = quoteInput
      const listAndCurrency = [quoteInput.list, other].flatMap((list) =>
        currencies.map((currency) => ({ list, currency })),
      )
      const expectedFees = listAndCurrency.map((ask) =>
        calculateFee({ ...ask, terms: { ...choice, modules: [...choice.modules] } }),
      )
      expect(listAndCurrency.map((ask) => calculateFee({ ...ask, terms: choice }))).toEqual(expectedFees)
      expect(listAndCurrency.map((ask) => calculateFee({ ...ask, terms: choice }))).toEqual(expectedFees)
    }),
    runs,
  )
})

test('Prices in other currencies do not change the fee', () => {
  fc.assert(
    fc.property(quoteInputs, amount(), (quoteInput, otherAmount) => {
      const ownCurrency = quoteInput.currency.toLowerCase()
      const replaceOthers = <T extends object>(row: T): T =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) =>
            /(^|_)(hkd|usd|rmb)$/.test(name) && !name.endsWith(ownCurrency) ? [name, otherAmount] : [name, value],
          ),
        ) as T
      const { list } = quoteInput
      const changedList = {
        ...replaceOthers(list),
        concurrentUser: list.concurrentUser.map(replaceOthers),
        namedUser: list.namedUser.map(replaceOthers),
        module: list.module.map(replaceOthers),
      }
      expect(calculateFee({ ...quoteInput, list: changedList })).toBe(calculateFee(quoteInput))
    }),
    runs,
  )
})

/** A contract that was bought and then extended up to three times. */
const boughtContract = fc
  .tuple(quoteInputs, day, years, fc.array(years, { maxLength: 3 }))
  .map(([quoteInput, start, first, further]) => {
    let end = addYears(start, first)
    let segments: PaidSegment[] = [{ start, end, annualFee: calculateFee(quoteInput) }]
    for (const extraYears of further) {
      const quote = requireQuote(quoteExtension(quoteInput, end, start, extraYears))
      segments = [...segments, { start: quote.period_start, end: quote.period_end, annualFee: quote.annualFee.fee }]
      end = quote.period_end
    }
    return { quoteInput, start, end, segments }
  })
const shareArbitrary = fc.double({ min: 0, max: 0.999, noNaN: true })
function pickDay({ start, end }: { start: string; end: string }, share: number): string {
  const [from, to] = [Date.parse(start), Date.parse(end)]
  return new Date(from + Math.floor(((to - from) / 86_400_000) * share) * 86_400_000).toISOString().slice(0, 10)
}

describe('a change of a contract', () => {
  test('costs 0.00 if it changes nothing, on any day and after any extensions (D12)', () => {
    fc.assert(
      fc.property(boughtContract, shareArbitrary, (contract, share) => {
        const quote = requireQuote(quoteChange(contract.quoteInput, contract.segments, pickDay(contract, share)))
        expect([quote.amount, quote.contract_amount]).toEqual([0n, quote.residual_amount])
      }),
      runs,
    )
  })

  test('never costs less than 0, ends with the contract, and has lines that add up (D14)', () => {
    fc.assert(
      fc.property(boughtContract, quoteInputs, shareArbitrary, (contract, otherInput, share) => {
        const quote = requireQuote(quoteChange(otherInput, contract.segments, pickDay(contract, share)))
        expect(quote.amount).toBeGreaterThanOrEqual(0n)
        expect(quote.period_end).toBe(contract.end)
        const steps = explainQuote(quote)
        expect(sumSteps(steps, 'segment')).toBe(quote.contract_amount)
        expect(sumSteps(steps, 'paid')).toBe(quote.residual_amount)
      }),
      runs,
    )
  })

  test('refunds an earlier change of the same day, and costs the same as without it', () => {
    fc.assert(
      fc.property(boughtContract, quoteInputs, quoteInputs, shareArbitrary, (contract, first, second, share) => {
        const today = pickDay(contract, share)
        const firstQuote = requireQuote(quoteChange(first, contract.segments, today))
        const segmentsBetween = applyChange(contract.segments, today, firstQuote.annualFee.fee)
        const secondQuote = requireQuote(quoteChange(second, segmentsBetween, today))
        expect(secondQuote.residual_amount).toBe(firstQuote.contract_amount)
        expect(secondQuote.contract_amount).toBe(
          requireQuote(quoteChange(second, contract.segments, today)).contract_amount,
        )
      }),
      runs,
    )
  })

  test('is refused for a contract that has ended (D29)', () => {
    fc.assert(
      fc.property(boughtContract, ({ quoteInput, end, segments }) => {
        expect(quoteChange(quoteInput, segments, end)).toEqual({ kind: 'expired' })
      }),
      { numRuns: 50 },
    )
  })
})

test('The lines of a year add up to its fee, and years multiply it, to the cent', () => {
  fc.assert(
    fc.property(quoteInputs, day, years, (quoteInput, start, count) => {
      const quote = requireQuote(quoteCreate(quoteInput, start, count))
      const steps = explainQuote(quote)
      expect(sumSteps(steps, 'users', 'module')).toBe(quote.annualFee.sum)
      expect(sumSteps(steps, 'users', 'module', 'uat', 'minimum')).toBe(quote.annualFee.fee)
      expect(quote.amount).toBe(quote.annualFee.fee * BigInt(count))
    }),
    runs,
  )
})

test('Amounts are read as they are written, and halves are rounded away from zero (S-12)', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), (cents) => {
      expect(readAmount(writeAmount(cents))).toBe(cents)
    }),
  )
  expect([divideRounded(5n, 2n), divideRounded(-5n, 2n), divideRounded(4n, 3n), divideRounded(-4n, 3n)]).toEqual([
    3n,
    -3n,
    1n,
    -1n,
  ])
  for (const wrongText of ['', '1,000.00', '1.005', '1e3', '.5', '1.', ' 1'])
    expect(() => readAmount(wrongText)).toThrow(RangeError)
})

test('addMonths ends on the last day of a shorter month', () => {
  expect(addMonths('2027-01-31', 1)).toBe('2027-02-28')
  expect(addMonths('2027-11-30', 3)).toBe('2028-02-29')
  expect(addMonths('2026-03-15', 12)).toBe('2027-03-15')
})
