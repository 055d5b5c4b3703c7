import { describe, expect, it } from 'vitest'
import { toPlainDate, getStartOfDay, toTimestamp } from '#domain/time.ts'

describe('toTimestamp and toPlainDate (M53)', () => {
  const instant = Date.UTC(2026, 11, 31, 16, 30, 5)

  it.each([
    ['Asia/Hong_Kong', '2027-01-01 00:30:05'],
    ['UTC', '2026-12-31 16:30:05'],
    ['America/New_York', '2026-12-31 11:30:05'],
  ])('use the time zone %s, not that of the machine', (zone, expected) => {
    expect(toTimestamp(zone, instant)).toBe(expected)
    expect(toPlainDate(zone, instant)).toBe(expected.slice(0, 10))
  })

  it('treat midnight as the first second of its day', () => {
    expect(toTimestamp('Asia/Hong_Kong', Date.UTC(2026, 0, 1, 16))).toBe('2026-01-02 00:00:00')
  })
})

/** The days include those on which the clock skips or repeats an hour: after midnight, before midnight or at midnight. */
it.each([
  ['Asia/Hong_Kong', '2026-03-29', '2026-03-28T16:00:00Z'],
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z'],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z'],
  ['Australia/Sydney', '2026-10-04', '2026-10-03T14:00:00Z'],
  ['Australia/Sydney', '2026-04-05', '2026-04-04T13:00:00Z'],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00Z'],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z'],
])('getStartOfDay finds that in %s the day %s begins at %s (F-09)', (zone, date, begins) => {
  const time = getStartOfDay(zone, date)
  expect(new Date(time)).toEqual(new Date(begins))
  expect([toPlainDate(zone, time), toPlainDate(zone, time - 1)]).toEqual([date, expect.not.stringMatching(date)])
})
