/** Consecutive periods end where one period of the same length would (decision 60). */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contractAnchor } from '#domain/contracts.ts'
import { backupAnchor, backupPeriod } from '#domain/fees/backup.ts'
import { factor, remaining, type Segment } from '#domain/fees/prorate.ts'
import { quoteExtension } from '#domain/fees/quote.ts'
import { addToAnchor, anchorOf, type BoughtPeriod, type PeriodAnchor } from '#domain/period.ts'
import { lists } from '#tests/domain/fees/goldens.ts'
import { dayAt, monthsAfter, placeOf } from '#tests/domain/fees/calendar.ts'

const far = '2500-01-01'

interface Purchase {
  period: number
  unit: 'year' | 'month'
  /** Of the contract, exclusive. */
  contractEnd?: string
  today?: string
}

/** Buys one backup after the other, as the server does. */
function buyBackups(start: string, purchases: readonly Purchase[]) {
  let last: BoughtPeriod | null = null
  return purchases.map(({ contractEnd = far, today = start, ...terms }) => {
    const present: BoughtPeriod | null = last
    const bounds = { today, present: present?.end ?? null, anchor: present?.anchor ?? null, contractEnd }
    const period = backupPeriod({ ...bounds, ...terms })
    if (!period) throw new Error('nothing of the contract is left')
    last = { end: period.end, anchor: backupAnchor(period, present) }
    return { ...period, anchor: last.anchor }
  })
}
const month = { period: 1, unit: 'month' as const }
const endsOf = (bought: { end: string }[]) => bought.map(({ end }) => end)

const asked = {
  list: lists.A,
  currency: 'HKD' as const,
  choice: { user_mode: 'CONCURRENT' as const, users: 10, modules: ['core'], uat: 0 as const },
}

/** Extends a contract by so many years each time. */
function extendContract(start: string, years: readonly number[]) {
  let anchor: PeriodAnchor = { date: start, months: 0 }
  let end = start
  const segments: Segment[] = []
  for (const count of years) {
    const result = quoteExtension(asked, end, start, count, anchor)
    if (result.kind !== 'quote') throw new Error(result.kind)
    const { period_start, period_end, annual } = result.quote
    anchor = addToAnchor(anchorOf(period_start, { end, anchor }), 12 * count)
    end = period_end
    segments.push({ start: period_start, end, annual: annual.fee })
  }
  return { end, anchor, segments }
}

describe('fault 8 the end of consecutive periods', () => {
  test('fault 8 is the same for four backup months from 01-31, one by one or at once', () => {
    expect(endsOf(buyBackups('2026-01-31', [month, month, month, month]))).toEqual([
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
      '2026-05-31',
    ])
    expect(endsOf(buyBackups('2026-01-31', [{ ...month, period: 4 }]))).toEqual(['2026-05-31'])
  })

  test('fault 8 is the 29th again in a leap year, for a contract that started on one', () => {
    expect(extendContract('2028-02-29', [1]).end).toBe('2029-02-28')
    expect(extendContract('2028-02-29', [1, 3]).end).toBe('2032-02-29')
    expect(extendContract('2028-02-29', [4]).end).toBe('2032-02-29')
    expect(extendContract('2028-02-29', [1, 1, 1, 1, 1]).end).toBe('2033-02-28')
  })

  const startDay = fc.integer({ min: placeOf('2024-01-01'), max: placeOf('2032-12-31') }).map(dayAt)
  const terms = fc.record({ period: fc.integer({ min: 1, max: 14 }), unit: fc.constantFrom('year', 'month') })
  const monthsOf = ({ period, unit }: Purchase) => (unit === 'year' ? 12 * period : period)

  test('fault 8 is the same however backups are bought: any split into months and years, in any order', () => {
    fc.assert(
      fc.property(startDay, fc.array(terms, { minLength: 1, maxLength: 8 }), fc.nat(), (start, purchases, seed) => {
        const total = purchases.reduce((sum, one) => sum + monthsOf(one), 0)
        const shuffled = purchases.toSorted((a, b) => ((a.period + seed) % 5) - ((b.period + seed) % 5))
        const whole = monthsAfter(start, total)
        expect(buyBackups(start, purchases).at(-1)?.end).toBe(whole)
        expect(buyBackups(start, shuffled).at(-1)?.end).toBe(whole)
        expect(buyBackups(start, purchases).reduce((sum, { months }) => sum + months, 0)).toBe(total)
      }),
    )
  })

  test('fault 8 is the same however years of a contract are bought, and each part counts as its own years', () => {
    fc.assert(
      fc.property(
        startDay,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        (start, parts) => {
          const total = parts.reduce((sum, years) => sum + years, 0)
          const { end, anchor, segments } = extendContract(start, parts)
          expect(end).toBe(monthsAfter(start, 12 * total))
          expect(extendContract(start, parts.toReversed()).end).toBe(end)
          expect(anchor).toEqual({ date: start, months: 12 * total })
          expect(remaining(segments, start, anchor.date).map((stretch) => stretch.factor)).toEqual(
            parts.map((years) => ({ years })),
          )
        },
      ),
    )
  })

  test('fault 8 keeps whole years whole from each day on which a year of the contract begins', () => {
    expect(factor('2029-02-28', '2032-02-29', '2028-02-29')).toEqual({ years: 3 })
    expect(factor('2031-02-28', '2032-02-29', '2028-02-29')).toEqual({ years: 1 })
    // No day on which a year of it begins: the year begins on the 29th.
    expect(factor('2032-02-28', '2033-02-28', '2028-02-29')).toEqual({ years: 1 })
    expect(factor('2029-02-27', '2032-02-29', '2028-02-29')).toEqual({ days: 1097 })
  })
})

describe('fault 8 a gap', () => {
  test('fault 8 begins anew on the day of the order', () => {
    const [first, second, third] = buyBackups('2026-01-31', [
      month,
      { ...month, today: '2026-03-05' },
      { ...month, today: '2026-03-05' },
    ])
    expect(first).toMatchObject({ end: '2026-02-28', anchor: { date: '2026-01-31', months: 1 } })
    expect(second).toMatchObject({ start: '2026-03-05', end: '2026-04-05', anchor: { date: '2026-03-05', months: 1 } })
    expect(third).toMatchObject({ start: '2026-04-05', end: '2026-05-05', anchor: { date: '2026-03-05', months: 2 } })
  })

  test('fault 8 is none where the next period is bought on the day of the end', () => {
    expect(endsOf(buyBackups('2026-01-31', [month, { ...month, today: '2026-02-28' }]))).toEqual([
      '2026-02-28',
      '2026-03-31',
    ])
    const once = extendContract('2028-02-29', [1])
    const result = quoteExtension(asked, once.end, '2029-02-28', 3, once.anchor)
    expect(result).toMatchObject({ quote: { period_start: '2029-02-28', period_end: '2032-02-29' } })
  })
})

describe('fault 8 a backup that is cut at the end of its contract', () => {
  test('fault 8 sets no anchor: what is bought after it counts from the cut', () => {
    const [first, cut, next, further] = buyBackups('2026-01-31', [
      month,
      { ...month, period: 2, contractEnd: '2026-04-10' },
      { ...month, contractEnd: '2027-04-10' },
      { ...month, contractEnd: '2027-04-10' },
    ])
    expect(first).toMatchObject({ end: '2026-02-28', isCut: false, anchor: { date: '2026-01-31', months: 1 } })
    // 02-28 to 03-31, and a part of the month after that.
    expect(cut).toMatchObject({ start: '2026-02-28', end: '2026-04-10', months: 2, isCut: true, anchor: null })
    expect(next).toMatchObject({ start: '2026-04-10', end: '2026-05-10', anchor: { date: '2026-04-10', months: 1 } })
    expect(further).toMatchObject({ end: '2026-06-10', anchor: { date: '2026-04-10', months: 2 } })
  })

  test('fault 8 is not one where it ends with the contract by itself', () => {
    const [, second] = buyBackups('2026-01-31', [month, { ...month, contractEnd: '2026-03-31' }])
    expect(second).toMatchObject({ end: '2026-03-31', isCut: false, anchor: { date: '2026-01-31', months: 2 } })
  })

  test('fault 8 never costs more months than were asked for', () => {
    // Counted from 02-28 it would be a second month that begins on 03-28.
    const [, cut] = buyBackups('2026-01-31', [month, { ...month, contractEnd: '2026-03-29' }])
    expect(cut).toMatchObject({ end: '2026-03-29', months: 1, isCut: true })
  })
})

describe('fault 8 what was bought by the old rule', () => {
  test('fault 8 keeps its end, and the next purchase gives the lost days back', () => {
    const present = { end: '2026-05-28', anchor: { date: '2026-01-31', months: 4 } }
    const bounds = { today: '2026-05-01', present: present.end, anchor: present.anchor, contractEnd: far }
    expect(backupPeriod({ ...bounds, ...month })).toMatchObject({ start: '2026-05-28', end: '2026-06-30', months: 1 })
    expect(backupPeriod({ ...bounds, ...month, contractEnd: '2026-05-30' })).toMatchObject({ months: 1, isCut: true })
  })

  test('fault 8 has the first start of the contract as its anchor where none was written down', () => {
    const contract = { period_start: '2028-02-29', period_end: '2032-02-28' }
    expect(contractAnchor(contract)).toEqual({ date: '2028-02-29', months: 48 })
    expect(contractAnchor({ ...contract, anchor_date: null, anchor_months: null })).toEqual(contractAnchor(contract))
    const result = quoteExtension(asked, contract.period_end, '2032-01-01', 4, contractAnchor(contract))
    expect(result).toMatchObject({ quote: { period_start: '2032-02-28', period_end: '2036-02-29' } })
  })

  test('fault 8 an anchor that leads elsewhere than to the end is not used', () => {
    const anchor = { date: '2026-01-01', months: 12 }
    const result = quoteExtension(asked, '2027-03-01', '2026-12-20', 1, anchor)
    expect(result).toMatchObject({ quote: { period_end: '2028-03-01' } })
  })
})
