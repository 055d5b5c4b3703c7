/** Less time never costs more (D9 as decision 61 has it): a change on a later day, of the same contract to the same fee. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { explain } from '#domain/fees/explain.ts'
import { afterChange, factor, type Factor, prorated, remaining, type Segment } from '#domain/fees/prorate.ts'
import { quoteChange } from '#domain/fees/quote.ts'
import { addToAnchor, anchoredEnd, anchorOf, type BoughtPeriod } from '#domain/period.ts'
import { dayAt, daysAfter, placeOf, yearsAfter } from '#tests/domain/fees/calendar.ts'
import { lists } from '#tests/domain/fees/goldens.ts'

const in365ths = (of: Factor) => ('years' in of ? 365 * of.years : of.days)

/** The 365ths from every day on until the end, with the first day at which they rise; null: they never do. */
function firstRise(start: string, end: string, anchor?: string): string | null {
  let before = Number.POSITIVE_INFINITY
  for (let place = placeOf(start); place < placeOf(end); place++) {
    const now = in365ths(factor(dayAt(place), end, anchor))
    if (now > before) return dayAt(place)
    before = now
  }
  return null
}

interface Contract {
  start: string
  end: string
  anchor: string
  segments: Segment[]
}

/** Bought on a day and extended, some of them by another fee, changed on the way, and begun anew after a gap. */
function contractOf(start: string, parts: readonly { years: number; fee: number }[]): Contract {
  let last: BoughtPeriod | null = null
  let segments: Segment[] = []
  let end = start
  for (const { years, fee } of parts) {
    const from = end
    const anchor = addToAnchor(anchorOf(from, last), 12 * years)
    end = anchoredEnd(anchor)
    last = { end, anchor }
    segments = [...segments, { start: from, end, annual: BigInt(fee) }]
  }
  return { start, end, anchor: start, segments }
}

const leapStarts = ['2028-02-28', '2028-02-29', '2028-03-01', '2028-03-02', '2027-03-01', '2096-02-29', '2097-03-01']
const startDay = fc.oneof(
  fc.integer({ min: placeOf('2024-01-01'), max: placeOf('2040-12-31') }).map(dayAt),
  fc.constantFrom(...leapStarts),
)
const part = fc.record({ years: fc.integer({ min: 1, max: 5 }), fee: fc.integer({ min: 0, max: 9_999_999 }) })
const contract = fc
  .tuple(startDay, fc.array(part, { minLength: 1, maxLength: 3 }))
  .map(([start, parts]) => contractOf(start, parts))

describe('fault 9 the factor of a remaining time', () => {
  test('fault 9 is that of the examples: whole years, days, and days that count as no more than their years', () => {
    expect(factor('2027-03-01', '2029-03-01')).toEqual({ years: 2 })
    expect(factor('2027-02-28', '2029-03-01')).toEqual({ days: 732 })
    expect(factor('2027-03-01', '2032-03-01')).toEqual({ years: 5 })
    expect(factor('2027-03-02', '2032-03-01')).toEqual({ years: 5, days: 1826 })
    expect(factor('2027-03-03', '2032-03-01')).toEqual({ days: 1825 })
  })

  test.each(leapStarts)('fault 9 never rises from day to day until an end within 9 years of %s', (start) => {
    for (const years of [1, 4, 5, 9]) {
      const end = yearsAfter(start, years)
      expect([start, end, firstRise(start, end)]).toEqual([start, end, null])
      expect([start, end, firstRise(start, end, start)]).toEqual([start, end, null])
      // From days before the start as well, and up to ends on which no year of it ends.
      const odd = daysAfter(end, 17 * years)
      expect(firstRise(daysAfter(start, -40), odd)).toBeNull()
    }
  })

  test('fault 9 never rises from day to day, in whatever contract (property)', () => {
    fc.assert(
      fc.property(contract, ({ segments, anchor }) => {
        for (const { start, end } of segments) expect(firstRise(start, end, anchor)).toBeNull()
      }),
      { numRuns: 10 },
    )
  })
})

describe('fault 9 what a change costs', () => {
  test('fault 9 both sums never rise as the day of the order moves later, for any contract and new fee (property)', () => {
    fc.assert(
      fc.property(contract, fc.bigInt({ min: 0n, max: 9_999_999n }), ({ start, end, segments, anchor }, annual) => {
        let before: [bigint, bigint] | null = null
        for (let place = placeOf(start) - 3; place < placeOf(end); place++) {
          const stretches = remaining(segments, dayAt(place), anchor)
          const now: [bigint, bigint] = [prorated(stretches, annual).amount, prorated(stretches).amount]
          if (before && (now[0] > before[0] || now[1] > before[1])) throw new Error(`it rises on ${dayAt(place)}`)
          before = now
        }
      }),
      { numRuns: 10 },
    )
  })

  test('fault 9 what is due never rises by more than the rounding of its two sums, where nothing was sold for more (property)', () => {
    fc.assert(
      fc.property(contract, fc.bigInt({ min: 0n, max: 9_999_999n }), ({ start, end, segments, anchor }, more) => {
        const annual = segments.reduce((most, one) => (one.annual > most ? one.annual : most), 0n) + more
        let before: bigint | null = null
        for (let place = placeOf(start); place < placeOf(end); place++) {
          const stretches = remaining(segments, dayAt(place), anchor)
          const due = prorated(stretches, annual).amount - prorated(stretches).amount
          if (before !== null && due > before + 1n) throw new Error(`${due} after ${before} on ${dayAt(place)}`)
          before = due
        }
      }),
      { numRuns: 10 },
    )
  })

  test('fault 9 a change costs nothing more on the day after it was made, and a later one still starts from it', () => {
    const { segments, anchor, end } = contractOf('2028-02-29', [
      { years: 1, fee: 1_000_000 },
      { years: 7, fee: 2_000_000 },
    ])
    const changed = afterChange(segments, '2030-03-05', 3_000_000n)
    const [stretch] = remaining(changed, '2030-03-05', anchor)
    expect(stretch?.factor).toEqual(factor('2030-03-05', end, anchor))
    expect(firstRise('2030-03-05', end, anchor)).toBeNull()
  })
})

test('fault 9 the steps tell both the days and the years that they count as', () => {
  const asked = {
    list: lists.A,
    currency: 'HKD' as const,
    choice: { user_mode: 'CONCURRENT' as const, users: 10, modules: ['core', 'fin'], uat: 0 as const },
  }
  const segments = [{ start: '2027-03-01', end: '2032-03-01', annual: 4_000_000n }]
  const [onTheDay, later] = ['2027-03-01', '2027-03-02'].map((today) => quoteChange(asked, segments, today))
  if (onTheDay?.kind !== 'quote' || later?.kind !== 'quote') throw new Error('both have a price')
  expect(later.quote.amount).toBe(onTheDay.quote.amount)
  const told = explain(later.quote).filter(({ code }) => code === 'segment' || code === 'paid')
  expect(told.map(({ values }) => [values.years, values.days])).toEqual([
    ['5', '1826'],
    ['5', '1826'],
  ])
})
