import { describe, expect, test } from 'vitest'
import { addYears, lastDay } from '#domain/period.ts'

describe('the end of a period', () => {
  test.each([
    ['2026-03-01', 1, '2027-03-01'],
    ['2026-03-01', 2, '2028-03-01'],
    ['2024-02-29', 1, '2025-02-28'],
    ['2024-02-29', 4, '2028-02-29'],
    ['2026-12-31', 99, '2125-12-31'],
  ])('%s and %i years is %s; the 29th of February becomes the 28th (D19, F-09)', (start, years, end) => {
    expect(addYears(start, years)).toBe(end)
  })

  test.each([
    ['2027-03-01', '2027-02-28'],
    ['2028-03-01', '2028-02-29'],
    ['2027-01-01', '2026-12-31'],
  ])('a period that ends before %s is shown until %s (D18)', (end, shown) => {
    expect(lastDay(end)).toBe(shown)
  })
})
