/** Less time never costs more (D9 as decision 61 has it): a change on a later day, of the same contract to the same fee. */
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

/** The 365ths from every day on until the end, with the first day at which they rise; null: they never do. */
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

/** Bought on a day and extended, some of them by another fee, changed on the way, and begun anew after a gap. */
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

describe('fault 9 the factor of a remaining time', () => {
  test('fault 9 is that of the examples: whole years, days, and days that count as no more than their years', () => {
    expect(calculateFactor('2027-03-01', '2029-03-01')).toEqual({ years: 2 })
    expect(calculateFactor('2027-02-28', '2029-03-01')).toEqual({ days: 732 })
    expect(calculateFactor('2027-03-01', '2032-03-01')).toEqual({ years: 5 })
    expect(calculateFactor('2027-03-02', '2032-03-01')).toEqual({ years: 5, days: 1826 })
    expect(calculateFactor('2027-03-03', '2032-03-01')).toEqual({ days: 1825 })
  })

  test.each(leapStarts)('fault 9 never rises from day to day until an end within 9 years of %s', (start) => {
    for (const years of [1, 4, 5, 9]) {
      const end = yearsAfter(start, years)
      expect([start, end, findFirstRise(start, end)]).toEqual([start, end, null])
      expect([start, end, findFirstRise(start, end, start)]).toEqual([start, end, null])
      // From days before the start as well, and up to ends on which no year of it ends.
      const oddEnd = addDays(end, 17 * years)
      expect(findFirstRise(addDays(start, -40), oddEnd)).toBeNull()
    }
  })

  test('fault 9 never rises from day to day, in whatever contract (property)', () => {
    fc.assert(
      fc.property(contractArbitrary, ({ segments, anchor }) => {
        for (const { start, end } of segments) expect(findFirstRise(start, end, anchor)).toBeNull()
      }),
      { numRuns: 10 },
    )
  })
})

describe('fault 9 what a change costs', () => {
  test('fault 9 both sums never rise as the day of the order moves later, for any contract and new fee (property)', () => {
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

  test('fault 9 what is due never rises by more than the rounding of its two sums, where nothing was sold for more (property)', () => {
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

  test('fault 9 a change costs nothing more on the day after it was made, and a later one still starts from it', () => {
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

test('fault 9 the steps tell both the days and the years that they count as', () => {
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
