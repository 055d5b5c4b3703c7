/** Which months are billed, and which bytes in which of them (D22): by example, and by chance against a ledger that is kept by hand. */
import { describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { gigabytes } from '#domain/fees/traffic.ts'
import { addDays } from '#domain/period.ts'
import {
  countedIn,
  endOfMonth,
  type Month,
  monthAfter,
  monthIn,
  monthsToBill,
  type Subscription,
  termsOf,
} from '#domain/traffic-months.ts'
import { suiteSeed } from '#tests/support/runner/chance.ts'

const sold = (start: string, end: string, id = 1): Subscription => ({ id, start, end })
const moved = (bytes: Record<Month, number>) => new Map(Object.entries(bytes))

test('a GB is 10^9 bytes, rounded half away to two decimals', () => {
  expect([0, 4_999_999, 5_000_000, 1_004_999_999, 1_005_000_000, 63_000_000_000].map(gigabytes)).toEqual([
    0n,
    0n,
    1n,
    100n,
    101n,
    6300n,
  ])
})

test('months follow one another over the end of a year', () => {
  expect([monthIn('2026-12-31'), endOfMonth('2026-12'), monthAfter('2026-12')]).toEqual([
    '2026-12',
    '2027-01-01',
    '2027-01',
  ])
})

test('what moves counts in its month, and after that was billed in the next one that was not', () => {
  expect(countedIn('2026-03-31', null)).toBe('2026-03')
  expect(countedIn('2026-03-31', '2026-02')).toBe('2026-03')
  expect(countedIn('2026-03-31', '2026-03')).toBe('2026-04')
  expect(countedIn('2026-03-31', '2026-12')).toBe('2027-01')
})

describe('the terms of a month', () => {
  const all = [
    sold('2026-06-15', '2026-12-15', 2),
    sold('2026-01-15', '2026-06-15', 1),
    sold('2026-12-15', '2027-02-01', 3),
  ]
  test.each([
    ['2026-05', 1],
    ['2026-06', 2],
    ['2026-12', 3],
    // Over, and still the last one before.
    ['2027-09', 3],
    // Before any began, after a clock was put back.
    ['2025-12', 1],
  ])('of %s are those of subscription %i', (month, id) => {
    expect(termsOf(all, month)?.id).toBe(id)
  })
  test('are none where nothing was ever sold', () => expect(termsOf([], '2026-05')).toBeNull())
})

describe('months to bill', () => {
  const billed = (
    known: { closed?: Month | null; subscriptions?: Subscription[]; bytes?: Record<Month, number> },
    today: string,
    most?: number,
  ) => {
    const { closed = null, subscriptions = [], bytes = {} } = known
    const told = monthsToBill({ closed, subscriptions, moved: moved(bytes) }, today, most)
    return { months: told.records.map(({ month, bytes: of }) => `${month}: ${of}`), closed: told.closed }
  }

  test('are those from the first day of the subscription to the month before this one', () => {
    const subscriptions = [sold('2026-03-31', '2027-03-01')]
    expect(billed({ subscriptions }, '2026-03-31')).toEqual({ months: [], closed: null })
    expect(billed({ subscriptions }, '2026-04-01')).toEqual({ months: ['2026-03: 0'], closed: '2026-03' })
    const bytes = { '2026-04': 7, '2026-06': 9 }
    expect(billed({ closed: '2026-03', subscriptions, bytes }, '2026-07-02')).toEqual({
      months: ['2026-04: 7', '2026-05: 0', '2026-06: 9'],
      closed: '2026-06',
    })
  })

  test('are none that were billed, and none without subscription and bytes', () => {
    const subscriptions = [sold('2026-01-15', '2026-03-01'), sold('2026-06-30', '2026-08-01', 2)]
    expect(billed({ closed: '2026-07', subscriptions }, '2026-07-02')).toEqual({ months: [], closed: '2026-07' })
    expect(billed({ subscriptions, bytes: { '2026-04': 5 } }, '2026-09-30')).toEqual({
      months: ['2026-01: 0', '2026-02: 0', '2026-04: 5', '2026-06: 0', '2026-07: 0'],
      closed: '2026-08',
    })
  })

  test('wait, and all that follows with them, where nobody’s terms cover bytes', () => {
    expect(billed({ bytes: { '2026-02': 5, '2026-03': 1 } }, '2026-09-30')).toEqual({ months: [], closed: null })
    const late = [sold('2026-05-01', '2026-06-01')]
    expect(billed({ subscriptions: late, bytes: { '2026-02': 5 } }, '2026-03-30').months).toEqual(['2026-02: 5'])
  })

  test('are so many at a time, and the rest the next time', () => {
    const subscriptions = [sold('2026-01-01', '2030-01-01')]
    const first = billed({ subscriptions }, '2027-01-01', 5)
    expect(first).toMatchObject({ closed: '2026-05' })
    expect(billed({ closed: first.closed, subscriptions }, '2027-01-01', 12).months).toHaveLength(7)
  })
})

/** What happens to a service, by chance. */
type Event =
  | { kind: 'moves'; bytes: number }
  /** The clock goes on by days, or is put back. */
  | { kind: 'days'; days: number }
  | { kind: 'looks' }
  | { kind: 'subscribes'; months: number }

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('moves' as const), bytes: fc.integer({ min: 1, max: 9e9 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('days' as const), days: fc.integer({ min: 0, max: 45 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('days' as const), days: fc.integer({ min: -200, max: 400 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('looks' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('subscribes' as const), months: fc.integer({ min: 1, max: 13 }) }),
  },
)

test('by chance: every byte is in one record or still open, no month is billed twice, none that was covered is left out', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      let today = '2026-03-02'
      let closed = null as Month | null
      const subscriptions: Subscription[] = [sold('2026-03-02', '2026-06-02')]
      const counted = new Map<Month, number>()
      const records = new Map<Month, number>()
      let all = 0
      for (const one of events) {
        if (one.kind === 'days') today = addDays(today, one.days)
        if (one.kind === 'moves') {
          const month = countedIn(today, closed)
          expect(records.has(month)).toBe(false)
          expect(month >= monthIn(today)).toBe(true)
          counted.set(month, (counted.get(month) ?? 0) + one.bytes)
          all += one.bytes
        }
        if (one.kind === 'subscribes') {
          const last = subscriptions.at(-1)?.end ?? today
          const start = last > today ? last : today
          subscriptions.push(sold(start, addDays(start, one.months * 30), subscriptions.length + 1))
        }
        if (one.kind !== 'looks') continue
        const before = closed
        const told = monthsToBill({ closed, subscriptions, moved: counted }, today)
        for (const { month, bytes, terms } of told.records) {
          expect(records.has(month)).toBe(false)
          expect(before === null || month > before).toBe(true)
          expect(month < monthIn(today)).toBe(true)
          expect(bytes).toBe(counted.get(month) ?? 0)
          expect(terms.start < endOfMonth(month) || terms.id === Math.min(...subscriptions.map(({ id }) => id))).toBe(
            true,
          )
          records.set(month, bytes)
        }
        expect(told.records.map(({ month }) => month)).toEqual(told.records.map(({ month }) => month).toSorted())
        closed = told.closed
        expect(before === null || (closed !== null && closed >= before)).toBe(true)
        expect(monthsToBill({ closed, subscriptions, moved: counted }, today)).toEqual({ records: [], closed })
        // Whatever was covered when it was looked at, and is over, was billed.
        for (
          let month = before === null ? '2026-03' : monthAfter(before);
          month < monthIn(today);
          month = monthAfter(month)
        )
          if (
            subscriptions.some(({ start, end }) => start < endOfMonth(month) && end > `${month}-01`) ||
            counted.has(month)
          )
            expect(records.has(month), month).toBe(true)
      }
      const billed = [...records.values()].reduce((sum, bytes) => sum + bytes, 0)
      const open = [...counted].filter(([month]) => !records.has(month)).reduce((sum, [, bytes]) => sum + bytes, 0)
      expect(billed + open).toBe(all)
    }),
    { numRuns: 1000, seed: suiteSeed },
  )
})
