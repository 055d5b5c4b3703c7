import { describe, expect, it } from 'vitest'
import { dateIn, timestampIn } from '#domain/time.ts'

describe('days and times are those of the portal, wherever the server stands (M53)', () => {
  const instant = Date.UTC(2026, 11, 31, 16, 30, 5)

  it.each([
    ['Asia/Hong_Kong', '2027-01-01 00:30:05'],
    ['UTC', '2026-12-31 16:30:05'],
    ['America/New_York', '2026-12-31 11:30:05'],
  ])('in %s', (zone, expected) => {
    expect(timestampIn(zone, instant)).toBe(expected)
    expect(dateIn(zone, instant)).toBe(expected.slice(0, 10))
  })

  it('midnight is the first second of its day', () => {
    expect(timestampIn('Asia/Hong_Kong', Date.UTC(2026, 0, 1, 16))).toBe('2026-01-02 00:00:00')
  })
})
