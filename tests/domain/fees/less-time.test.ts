/**
 * Tests that less time never costs more (D9 with decision 61): a change on a later day, of the same contract to the same fee, is not more
 * expensive.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { explainQuote } from '#domain/fees/explain.ts'
import {
  applyChange,
  calculateFactor,
  type ProrationFactor,
  prorate,
  findRemainingSegments,
  type PaidSegment,
} from '#domain/fees/prorate.ts'
import { quoteChange } from '#domain/fees/quote.ts'
import { addToAnchor, getAnchoredEnd, getAnchor, type BoughtPeriod } from '#domain/plain-dates.ts'
import { toDay, addDays, toDayNumber, yearsAfter } from '#tests/domain/fees/calendar.ts'
import { lists } from '#tests/domain/fees/goldens.ts'

const to365ths = (factor: ProrationFactor) => ('years' in factor ? 365 * factor.years : factor.days)

/** Returns the first day before the end on which the factor is higher than on the day before, or null if it never rises. */
function findFirstRise(start: string, end: string, anchor?: string): string | null {
  let previousFactor = Number.POSITIVE_INFINITY
  for (let dayNumber = toDayNumber(start); dayNumber < toDayNumber(end); dayNumber++) {
    const currentFactor = to365ths(calculateFactor(toDay(dayNumber), end, anchor))
    if (currentFactor > previousFactor) return toDay(dayNumber)
    previousFactor = currentFactor
  }
  return null
}

interface TestContract {
  start: string
  end: string
  anchor: string
  segments: PaidSegment[]
}

/** Builds a contract that is bought on `start` and then extended, each part with its own fee. */
function buildContract(start: string, parts: readonly { years: number; fee: number }[]): TestContract {
  let lastPeriod: BoughtPeriod | null = null
  let segments: PaidSegment[] = []
  let end = start
  for (const { years, fee } of parts) {
    const from = end
    const anchor = addToAnchor(getAnchor(from, lastPeriod), 12 * years)
    end = getAnchoredEnd(anchor)
    lastPeriod = { end, anchor }
    segments = [...segments, { start: from, end, annualFee: BigInt(fee) }]
  }
  return { start, end, anchor: start, segments }
}

const leapStarts = ['2028-02-28', '2028-02-29', '2028-03-01', '2028-03-02', '2027-03-01', '2096-02-29', '2097-03-01']
const startDay = fc.oneof(
  fc.integer({ min: toDayNumber('2024-01-01'), max: toDayNumber('2040-12-31') }).map(toDay),
  fc.constantFrom(...leapStarts),
)
const partArbitrary = fc.record({ years: fc.integer({ min: 1, max: 5 }), fee: fc.integer({ min: 0, max: 9_999_999 }) })
const contractArbitrary = fc
  .tuple(startDay, fc.array(partArbitrary, { minLength: 1, maxLength: 3 }))
  .map(([start, parts]) => buildContract(start, parts))

describe('calculateFactor', () => {
  test('returns full years or days, and also the years as a cap if the days would exceed them (fault 9)', () => {
    expect(calculateFactor('2027-03-01', '2029-03-01')).toEqual({ years: 2 })
    expect(calculateFactor('2027-02-28', '2029-03-01')).toEqual({ days: 732 })
    expect(calculateFactor('2027-03-01', '2032-03-01')).toEqual({ years: 5 })
    expect(calculateFactor('2027-03-02', '2032-03-01')).toEqual({ years: 5, days: 1826 })
    expect(calculateFactor('2027-03-03', '2032-03-01')).toEqual({ days: 1825 })
  })

  test.each(leapStarts)(
    'never rises from day to day if the contract starts on %s and ends within 9 years (fault 9)',
    (start) => {
      for (const years of [1, 4, 5, 9]) {
        const end = yearsAfter(start, years)
        expect([start, end, findFirstRise(start, end)]).toEqual([start, end, null])
        expect([start, end, findFirstRise(start, end, start)]).toEqual([start, end, null])
        // The start may also be before the contract, and the end may be a day on which no contract year ends.
        const oddEnd = addDays(end, 17 * years)
        expect(findFirstRise(addDays(start, -40), oddEnd)).toBeNull()
      }
    },
  )

  test('never rises from day to day, in any contract (property, fault 9)', () => {
    fc.assert(
      fc.property(contractArbitrary, ({ segments, anchor }) => {
        for (const { start, end } of segments) expect(findFirstRise(start, end, anchor)).toBeNull()
      }),
      { numRuns: 10 },
    )
  })
})

describe('the price of a change', () => {
  test('has two sums, and neither rises if the order is made on a later day (property, fault 9)', () => {
    fc.assert(
      fc.property(
        contractArbitrary,
        fc.bigInt({ min: 0n, max: 9_999_999n }),
        ({ start, end, segments, anchor }, annual) => {
          let previousSums: [bigint, bigint] | null = null
          for (let dayNumber = toDayNumber(start) - 3; dayNumber < toDayNumber(end); dayNumber++) {
            const stretches = findRemainingSegments(segments, toDay(dayNumber), anchor)
            const currentSums: [bigint, bigint] = [prorate(stretches, annual).amount, prorate(stretches).amount]
            if (previousSums && (currentSums[0] > previousSums[0] || currentSums[1] > previousSums[1]))
              throw new Error(`it rises on ${toDay(dayNumber)}`)
            previousSums = currentSums
          }
        },
      ),
      { numRuns: 10 },
    )
  })

  test('rises by at most 0.01 from day to day, if no part of the contract had a higher fee (property, fault 9)', () => {
    fc.assert(
      fc.property(
        contractArbitrary,
        fc.bigInt({ min: 0n, max: 9_999_999n }),
        ({ start, end, segments, anchor }, extraFee) => {
          const annual =
            segments.reduce(
              (maxAnnual, segment) => (segment.annualFee > maxAnnual ? segment.annualFee : maxAnnual),
              0n,
            ) + extraFee
          let previousDue: bigint | null = null
          for (let dayNumber = toDayNumber(start); dayNumber < toDayNumber(end); dayNumber++) {
            const stretches = findRemainingSegments(segments, toDay(dayNumber), anchor)
            const due = prorate(stretches, annual).amount - prorate(stretches).amount
            if (previousDue !== null && due > previousDue + 1n)
              throw new Error(`${due} after ${previousDue} on ${toDay(dayNumber)}`)
            previousDue = due
          }
        },
      ),
      { numRuns: 10 },
    )
  })

  test('is based on a factor that does not rise after an earlier change (fault 9)', () => {
    const { segments, anchor, end } = buildContract('2028-02-29', [
      { years: 1, fee: 1_000_000 },
      { years: 7, fee: 2_000_000 },
    ])
    const changedSegments = applyChange(segments, '2030-03-05', 3_000_000n)
    const [stretch] = findRemainingSegments(changedSegments, '2030-03-05', anchor)
    expect(stretch?.factor).toEqual(calculateFactor('2030-03-05', end, anchor))
    expect(findFirstRise('2030-03-05', end, anchor)).toBeNull()
  })
})

test('The steps of a change show both its days and the years that are charged for them (fault 9)', () => {
  const quoteInput = {
    list: lists.A,
    currency: 'HKD' as const,
    terms: { user_mode: 'CONCURRENT' as const, users: 10, modules: ['core', 'fin'], uat: 0 as const },
  }
  const segments = [{ start: '2027-03-01', end: '2032-03-01', annualFee: 4_000_000n }]
  const [result, laterResult] = ['2027-03-01', '2027-03-02'].map((today) => quoteChange(quoteInput, segments, today))
  if (result?.kind !== 'quote' || laterResult?.kind !== 'quote') throw new Error('both have a price')
  expect(laterResult.quote.amount).toBe(result.quote.amount)
  const shownSteps = explainQuote(laterResult.quote).filter(({ code }) => code === 'segment' || code === 'paid')
  expect(shownSteps.map(({ values }) => [values.years, values.days])).toEqual([
    ['5', '1826'],
    ['5', '1826'],
  ])
})
