/** Tests the positions of the chart of terms, and which services and customers the staff's figures count. */
import { describe, expect, it, test } from 'vitest'
import type { OrderRow } from '#contract/orders.ts'
import { sumUnpaid } from '#features/customers/home/CustomerReport.tsx'
import { layOutTerms } from '#features/orders/home/term-bars.ts'
import { isDown, isEnding } from '#features/services/home/service-figures.ts'

const createRow = (start: string, end: string) => ({ period_start: start, expired_date: end }) as OrderRow

describe('the chart of terms', () => {
  it('begins with the earliest term, ends with the latest, and marks today', () => {
    const { bars, today, years } = layOutTerms(
      [createRow('2026-01-01', '2026-12-31'), createRow('2026-07-02', '2027-07-01')],
      '2026-07-02',
    )
    // 547 days from 2026-01-01 to 2027-07-01.
    expect(bars.map(({ start, width }) => [start, width])).toEqual([
      [0, 66.73],
      [33.27, 66.73],
    ])
    expect(today).toBe(33.27)
    expect(years).toEqual([{ year: '2027', at: 66.73 }])
  })

  it('contains today before and after all terms', () => {
    expect(layOutTerms([createRow('2027-01-01', '2027-12-31')], '2026-01-01').today).toBe(0)
    const { bars, today } = layOutTerms([createRow('2026-01-01', '2026-01-01')], '2026-01-10')
    expect([today, bars[0]?.width]).toEqual([90, 10])
  })

  it('labels at most five years', () => {
    const { years } = layOutTerms([createRow('2016-06-01', '2036-05-31')], '2026-06-01')
    expect(years.map(({ year }) => year)).toEqual(['2017', '2021', '2025', '2029', '2033'])
    for (const [index, { at }] of years.entries()) expect(at).toBeGreaterThan(years[index - 1]?.at ?? 0)
  })
})

test('A contract ends soon from 30 days before its last day until that day', () => {
  const lastDays = ['2026-11-29', '2026-11-30', '2026-12-30', '2026-12-31', null]
  expect(lastDays.map((day) => isEnding({ expired_date: day }, '2026-11-30'))).toEqual([
    false,
    true,
    true,
    false,
    false,
  ])
})

test('A service is down if it has a fault or its last operation failed', () => {
  expect(isDown({ fault: null, system_status: 2 })).toBe(false)
  expect(isDown({ fault: null, system_status: 4 })).toBe(false)
  expect(isDown({ fault: 'no_answer', system_status: 2 })).toBe(true)
  expect(isDown({ fault: null, system_status: 5 })).toBe(true)
})

test('The unpaid amounts of all customers are added up by currency, to the cent', () => {
  const unpaid = (currency: 'HKD' | 'USD', amount: string) => ({ currency, amount, count: 1 })
  expect(
    sumUnpaid([
      { unpaid: [unpaid('USD', '0.10'), unpaid('HKD', '29000.00')] },
      { unpaid: [] },
      { unpaid: [unpaid('USD', '4877.20')] },
    ]),
  ).toEqual(['HKD 29,000.00', 'USD 4,877.30'])
  expect(sumUnpaid([])).toEqual([])
})
