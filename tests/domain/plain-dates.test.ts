import { describe, expect, test } from 'vitest'
import { addYears, isDay, isMinute, getLastDay } from '#domain/plain-dates.ts'

describe('The end of a period', () => {
  test.each([
    ['2026-03-01', 1, '2027-03-01'],
    ['2026-03-01', 2, '2028-03-01'],
    ['2024-02-29', 1, '2025-02-28'],
    ['2024-02-29', 4, '2028-02-29'],
    ['2026-12-31', 99, '2125-12-31'],
  ])('%s and %i years is %s, and 29 February becomes the 28th (D19, F-09)', (start, years, end) => {
    expect(addYears(start, years)).toBe(end)
  })

  test.each([
    ['2027-03-01', '2027-02-28'],
    ['2028-03-01', '2028-02-29'],
    ['2027-01-01', '2026-12-31'],
  ])('A period that ends before %s is shown until %s (D18)', (end, lastDay) => {
    expect(getLastDay(end)).toBe(lastDay)
  })
})

describe('isDay and isMinute', () => {
  test.each(['2026-02-30', '0000-01-01', '2026-1-1', '9999999', "2026-01-01'--", '1026-01-01', '3026-01-01', ''])(
    'reject %s, alone and with a time',
    (day) => {
      expect(isDay(day)).toBe(false)
      expect(isMinute(`${day} 09:30`)).toBe(false)
    },
  )

  test('accept 29 February in leap years only, and times from 00:00 to 23:59', () => {
    expect(['2024-02-29', '1999-12-31', '2026-02-29'].map(isDay)).toEqual([true, true, false])
    const times = ['00:00', '23:59', '24:00', '9:05', '09:60', '09:05:00', '']
    expect(times.filter((time) => isMinute(`2026-11-24 ${time}`))).toEqual(['00:00', '23:59'])
    expect(isMinute('2026-11-24T09:05')).toBe(false)
  })
})
