import { describe, expect, it } from 'vitest'
import { createConfirmCode } from '#ui/form/confirm-code.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { formatReadingTime } from '#ui/page/business-clock.ts'
import { getPageNumbers } from '#ui/list/Pagination.tsx'

describe('getPageNumbers', () => {
  it.each([
    [1, 1, [1]],
    [1, 5, [1, 2, 0, 5]],
    [3, 5, [1, 2, 3, 4, 5]],
    [4, 9, [1, 2, 3, 4, 5, 0, 9]],
    [5, 9, [1, 0, 4, 5, 6, 0, 9]],
    [9, 9, [1, 0, 8, 9]],
  ])('returns, for page %i of %i, %j, where 0 is a gap', (page, pages, expectedPages) => {
    expect(getPageNumbers(page, pages)).toEqual(expectedPages)
  })
})

describe('createConfirmCode (M52, D84)', () => {
  const codes = Array.from({ length: 300 }, () => createConfirmCode((bytes) => crypto.getRandomValues(bytes)))

  it('returns twelve letters and digits without similar characters', () => {
    for (const code of codes) expect(code).toMatch(/^[A-HJ-NP-Za-km-z2-9]{12}$/)
  })

  it('returns a different code each time', () => {
    expect(new Set(codes).size).toBe(codes.length)
  })

  it('skips bytes that would make some letters more likely', () => {
    // There are 57 letters and digits, which fit into 256 four times. So bytes of 228 and above are skipped.
    const bytes = [255, 228, 227, 0, 56]
    const code = createConfirmCode((target) => target.set([bytes.shift() ?? 1]))
    expect(code.slice(0, 3)).toBe('9A9')
  })
})

describe('formatReadingTime (P-12)', () => {
  const noon = new Date(2025, 4, 6, 12, 0).getTime()

  it('returns the time on the same day, and date and time on another day', () => {
    expect(formatReadingTime(noon, noon + 3_600_000)).toBe('12:00')
    expect(formatReadingTime(noon, noon + 24 * 3_600_000)).toBe('2025-05-06 12:00')
  })
})

describe('formatNumber (I-09)', () => {
  it.each([0, 7, 999, 1_000, 12_345, 999_999, 8_431_000, -1_234])('formats %d as the browser would', (value) => {
    expect(formatNumber(value)).toBe(value.toLocaleString('en-US'))
  })
})
