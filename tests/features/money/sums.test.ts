import { describe, expect, it } from 'vitest'
import { calculateBarLengths, formatSum, groupByCurrency, listMonths } from '#features/money/overview/sums.ts'

describe('sums of the money page', () => {
  it('adds amounts of one currency only', () => {
    const rows = [
      { currency: 'HKD', amount: '0.10', count: 1 },
      { currency: 'USD', amount: '5.00', count: 2 },
      { currency: 'HKD', amount: '9999999999999.20', count: 3 },
    ]
    expect(groupByCurrency(rows)).toEqual([
      { currency: 'HKD', total: '9999999999999.30', count: 4, rows: [rows[0], rows[2]] },
      { currency: 'USD', total: '5.00', count: 2, rows: [rows[1]] },
    ])
    expect(formatSum({ currency: 'EUR', amount: '1234.50' })).toBe('EUR 1,234.50')
  })

  it('scales bars to the longest one, without bars for nothing', () => {
    expect(calculateBarLengths(['50.00', '0.00', '100.00', '-3.00'])).toEqual([50, 0, 100, 0])
    expect(calculateBarLengths(['0.00'])).toEqual([0])
  })

  it('lists the twelve months up to this one, over the end of a year', () => {
    const months = listMonths('2026-02')
    expect([months.length, months[0], months[9], months[10], months[11]]).toEqual([
      12,
      '2025-03',
      '2025-12',
      '2026-01',
      '2026-02',
    ])
  })
})
