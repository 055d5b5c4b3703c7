/** Tests which months are billed, and the bytes in each of them (D22), by examples, and by random events against a simple calculation. */
import { describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { toGigabytes } from '#domain/fees/traffic.ts'
import { addDays } from '#domain/plain-dates.ts'
import {
  getCountingMonth,
  getEndOfMonth,
  type CalendarMonth,
  getNextMonth,
  toMonth,
  findMonthsToBill,
  type TrafficSubscription,
  findBillingSubscription,
} from '#domain/traffic-months.ts'
import { suiteSeed } from '#tests/support/runner/random.ts'

const buildSubscription = (start: string, end: string, id = 1): TrafficSubscription => ({ id, start, end })
const toBytesByMonth = (bytes: Record<CalendarMonth, number>) => new Map(Object.entries(bytes))

test('toGigabytes counts 10^9 bytes, and rounds to two decimals with halves away from zero', () => {
  expect([0, 4_999_999, 5_000_000, 1_004_999_999, 1_005_000_000, 63_000_000_000].map(toGigabytes)).toEqual([
    0n,
    0n,
    1n,
    100n,
    101n,
    6300n,
  ])
})

test('Months continue over the end of a year', () => {
  expect([toMonth('2026-12-31'), getEndOfMonth('2026-12'), getNextMonth('2026-12')]).toEqual([
    '2026-12',
    '2027-01-01',
    '2027-01',
  ])
})

test('Traffic is counted in its month, or in the next unbilled month if its month was already billed', () => {
  expect(getCountingMonth('2026-03-31', null)).toBe('2026-03')
  expect(getCountingMonth('2026-03-31', '2026-02')).toBe('2026-03')
  expect(getCountingMonth('2026-03-31', '2026-03')).toBe('2026-04')
  expect(getCountingMonth('2026-03-31', '2026-12')).toBe('2027-01')
})

describe('findBillingSubscription', () => {
  const subscriptions = [
    buildSubscription('2026-06-15', '2026-12-15', 2),
    buildSubscription('2026-01-15', '2026-06-15', 1),
    buildSubscription('2026-12-15', '2027-02-01', 3),
  ]
  test.each([
    ['2026-05', 1],
    ['2026-06', 2],
    ['2026-12', 3],
    // The subscription has ended, but is still the last one before this month.
    ['2027-09', 3],
    // This month is before the first subscription, because the clock was set back.
    ['2025-12', 1],
  ])('returns for %s the subscription %i', (month, id) => {
    expect(findBillingSubscription(subscriptions, month)?.id).toBe(id)
  })
  test('returns null without any subscription', () => expect(findBillingSubscription([], '2026-05')).toBeNull())
})

describe('findMonthsToBill', () => {
  const billMonths = (
    input: {
      closed?: CalendarMonth | null
      subscriptions?: TrafficSubscription[]
      bytes?: Record<CalendarMonth, number>
    },
    today: string,
    maxMonths?: number,
  ) => {
    const { closed = null, subscriptions = [], bytes = {} } = input
    const bill = findMonthsToBill(
      { closedMonth: closed, subscriptions, bytesByMonth: toBytesByMonth(bytes) },
      today,
      maxMonths,
    )
    return {
      months: bill.records.map(({ month, bytes: byteCount }) => `${month}: ${byteCount}`),
      closed: bill.closedMonth,
    }
  }

  test('returns the months from the first day of the subscription to the last full month', () => {
    const subscriptions = [buildSubscription('2026-03-31', '2027-03-01')]
    expect(billMonths({ subscriptions }, '2026-03-31')).toEqual({ months: [], closed: null })
    expect(billMonths({ subscriptions }, '2026-04-01')).toEqual({ months: ['2026-03: 0'], closed: '2026-03' })
    const bytes = { '2026-04': 7, '2026-06': 9 }
    expect(billMonths({ closed: '2026-03', subscriptions, bytes }, '2026-07-02')).toEqual({
      months: ['2026-04: 7', '2026-05: 0', '2026-06: 9'],
      closed: '2026-06',
    })
  })

  test('returns neither billed months nor months without subscription and bytes', () => {
    const subscriptions = [
      buildSubscription('2026-01-15', '2026-03-01'),
      buildSubscription('2026-06-30', '2026-08-01', 2),
    ]
    expect(billMonths({ closed: '2026-07', subscriptions }, '2026-07-02')).toEqual({ months: [], closed: '2026-07' })
    expect(billMonths({ subscriptions, bytes: { '2026-04': 5 } }, '2026-09-30')).toEqual({
      months: ['2026-01: 0', '2026-02: 0', '2026-04: 5', '2026-06: 0', '2026-07: 0'],
      closed: '2026-08',
    })
  })

  test('stops at a month with bytes if there is no subscription at all', () => {
    expect(billMonths({ bytes: { '2026-02': 5, '2026-03': 1 } }, '2026-09-30')).toEqual({ months: [], closed: null })
    const lateSubscriptions = [buildSubscription('2026-05-01', '2026-06-01')]
    expect(billMonths({ subscriptions: lateSubscriptions, bytes: { '2026-02': 5 } }, '2026-03-30').months).toEqual([
      '2026-02: 5',
    ])
  })

  test('returns a limited number of months, and the others in the next call', () => {
    const subscriptions = [buildSubscription('2026-01-01', '2030-01-01')]
    const first = billMonths({ subscriptions }, '2027-01-01', 5)
    expect(first).toMatchObject({ closed: '2026-05' })
    expect(billMonths({ closed: first.closed, subscriptions }, '2027-01-01', 12).months).toHaveLength(7)
  })
})

/** A random event of a service. */
type TrafficEvent =
  | { kind: 'moves'; bytes: number }
  /** The clock advances by days, or is set back. */
  | { kind: 'days'; days: number }
  | { kind: 'looks' }
  | { kind: 'subscribes'; months: number }

const eventArbitrary: fc.Arbitrary<TrafficEvent> = fc.oneof(
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

test('For random events, each byte is billed or open, and no covered month is missed or billed twice', () => {
  fc.assert(
    fc.property(fc.array(eventArbitrary, { maxLength: 40 }), (events) => {
      let today = '2026-03-02'
      let closedMonth = null as CalendarMonth | null
      const subscriptions: TrafficSubscription[] = [buildSubscription('2026-03-02', '2026-06-02')]
      const countedBytes = new Map<CalendarMonth, number>()
      const billedBytes = new Map<CalendarMonth, number>()
      let totalBytes = 0
      for (const event of events) {
        if (event.kind === 'days') today = addDays(today, event.days)
        if (event.kind === 'moves') {
          const month = getCountingMonth(today, closedMonth)
          expect(billedBytes.has(month)).toBe(false)
          expect(month >= toMonth(today)).toBe(true)
          countedBytes.set(month, (countedBytes.get(month) ?? 0) + event.bytes)
          totalBytes += event.bytes
        }
        if (event.kind === 'subscribes') {
          const last = subscriptions.at(-1)?.end ?? today
          const start = last > today ? last : today
          subscriptions.push(buildSubscription(start, addDays(start, event.months * 30), subscriptions.length + 1))
        }
        if (event.kind !== 'looks') continue
        const previousClosedMonth = closedMonth
        const bill = findMonthsToBill({ closedMonth, subscriptions, bytesByMonth: countedBytes }, today)
        for (const { month, bytes, subscription: terms } of bill.records) {
          expect(billedBytes.has(month)).toBe(false)
          expect(previousClosedMonth === null || month > previousClosedMonth).toBe(true)
          expect(month < toMonth(today)).toBe(true)
          expect(bytes).toBe(countedBytes.get(month) ?? 0)
          expect(
            terms.start < getEndOfMonth(month) || terms.id === Math.min(...subscriptions.map(({ id }) => id)),
          ).toBe(true)
          billedBytes.set(month, bytes)
        }
        expect(bill.records.map(({ month }) => month)).toEqual(bill.records.map(({ month }) => month).toSorted())
        closedMonth = bill.closedMonth
        expect(previousClosedMonth === null || (closedMonth !== null && closedMonth >= previousClosedMonth)).toBe(true)
        expect(findMonthsToBill({ closedMonth, subscriptions, bytesByMonth: countedBytes }, today)).toEqual({
          records: [],
          closedMonth,
        })
        // Every past month that was covered when the bill was made has been billed.
        for (
          let month = previousClosedMonth === null ? '2026-03' : getNextMonth(previousClosedMonth);
          month < toMonth(today);
          month = getNextMonth(month)
        )
          if (
            subscriptions.some(({ start, end }) => start < getEndOfMonth(month) && end > `${month}-01`) ||
            countedBytes.has(month)
          )
            expect(billedBytes.has(month), month).toBe(true)
      }
      const billedTotal = [...billedBytes.values()].reduce((sum, bytes) => sum + bytes, 0)
      const openTotal = [...countedBytes]
        .filter(([month]) => !billedBytes.has(month))
        .reduce((sum, [, bytes]) => sum + bytes, 0)
      expect(billedTotal + openTotal).toBe(totalBytes)
    }),
    { numRuns: 1000, seed: suiteSeed },
  )
})
