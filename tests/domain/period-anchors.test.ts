/** Tests that consecutive periods end on the day on which one period of the same total length would end (decision 60). */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getContractAnchor } from '#domain/contracts.ts'
import { getBackupAnchor, calculateBackupPeriod } from '#domain/fees/backup.ts'
import { calculateFactor, findRemainingSegments, type PaidSegment } from '#domain/fees/prorate.ts'
import { quoteExtension } from '#domain/fees/quote.ts'
import { addToAnchor, getAnchor, type BoughtPeriod, type PeriodAnchor } from '#domain/plain-dates.ts'
import { lists } from '#tests/domain/fees/goldens.ts'
import { toDay, monthsAfter, toDayNumber } from '#tests/domain/fees/calendar.ts'

const farDate = '2500-01-01'

interface Purchase {
  period: number
  unit: 'year' | 'month'
  /** The end of the contract, exclusive. */
  contractEnd?: string
  today?: string
}

/** Buys one backup after the other, as the server does. */
function buyBackups(start: string, purchases: readonly Purchase[]) {
  let lastPeriod: BoughtPeriod | null = null
  return purchases.map(({ contractEnd = farDate, today = start, ...terms }) => {
    const currentPeriod: BoughtPeriod | null = lastPeriod
    const bounds = { today, currentEnd: currentPeriod?.end ?? null, anchor: currentPeriod?.anchor ?? null, contractEnd }
    const period = calculateBackupPeriod({ ...bounds, ...terms })
    if (!period) throw new Error('nothing of the contract is left')
    lastPeriod = { end: period.end, anchor: getBackupAnchor(period, currentPeriod) }
    return { ...period, anchor: lastPeriod.anchor }
  })
}
const oneMonth = { period: 1, unit: 'month' as const }
const getEnds = (boughtPeriods: { end: string }[]) => boughtPeriods.map(({ end }) => end)

const quoteInput = {
  list: lists.A,
  currency: 'HKD' as const,
  terms: { user_mode: 'CONCURRENT' as const, users: 10, modules: ['core'], uat: 0 as const },
}

/** Extends a contract once for each number of years. */
function extendContract(start: string, years: readonly number[]) {
  let anchor: PeriodAnchor = { date: start, months: 0 }
  let end = start
  const segments: PaidSegment[] = []
  for (const yearCount of years) {
    const result = quoteExtension(quoteInput, end, start, yearCount, anchor)
    if (result.kind !== 'quote') throw new Error(result.kind)
    const { period_start, period_end, annualFee: annual } = result.quote
    anchor = addToAnchor(getAnchor(period_start, { end, anchor }), 12 * yearCount)
    end = period_end
    segments.push({ start: period_start, end, annualFee: annual.fee })
  }
  return { end, anchor, segments }
}

describe('the end of consecutive periods', () => {
  test('is the same for four backup months from 01-31, bought singly or together (fault 8)', () => {
    expect(getEnds(buyBackups('2026-01-31', [oneMonth, oneMonth, oneMonth, oneMonth]))).toEqual([
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
      '2026-05-31',
    ])
    expect(getEnds(buyBackups('2026-01-31', [{ ...oneMonth, period: 4 }]))).toEqual(['2026-05-31'])
  })

  test('is the 29th again in a leap year if the contract started on a 29th (fault 8)', () => {
    expect(extendContract('2028-02-29', [1]).end).toBe('2029-02-28')
    expect(extendContract('2028-02-29', [1, 3]).end).toBe('2032-02-29')
    expect(extendContract('2028-02-29', [4]).end).toBe('2032-02-29')
    expect(extendContract('2028-02-29', [1, 1, 1, 1, 1]).end).toBe('2033-02-28')
  })

  const startDay = fc.integer({ min: toDayNumber('2024-01-01'), max: toDayNumber('2032-12-31') }).map(toDay)
  const terms = fc.record({ period: fc.integer({ min: 1, max: 14 }), unit: fc.constantFrom('year', 'month') })
  const countMonths = ({ period, unit }: Purchase) => (unit === 'year' ? 12 * period : period)

  test('is the same for any split of backups into months and years, in any order (fault 8)', () => {
    fc.assert(
      fc.property(startDay, fc.array(terms, { minLength: 1, maxLength: 8 }), fc.nat(), (start, purchases, seed) => {
        const total = purchases.reduce((sum, purchase) => sum + countMonths(purchase), 0)
        const shuffled = purchases.toSorted((a, b) => ((a.period + seed) % 5) - ((b.period + seed) % 5))
        const expectedEnd = monthsAfter(start, total)
        expect(buyBackups(start, purchases).at(-1)?.end).toBe(expectedEnd)
        expect(buyBackups(start, shuffled).at(-1)?.end).toBe(expectedEnd)
        expect(buyBackups(start, purchases).reduce((sum, { months }) => sum + months, 0)).toBe(total)
      }),
    )
  })

  test('is the same for any split of contract years, and each part is charged as its own years (fault 8)', () => {
    fc.assert(
      fc.property(
        startDay,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        (start, yearCounts) => {
          const total = yearCounts.reduce((sum, years) => sum + years, 0)
          const { end, anchor, segments } = extendContract(start, yearCounts)
          expect(end).toBe(monthsAfter(start, 12 * total))
          expect(extendContract(start, yearCounts.toReversed()).end).toBe(end)
          expect(anchor).toEqual({ date: start, months: 12 * total })
          expect(findRemainingSegments(segments, start, anchor.date).map((stretch) => stretch.factor)).toEqual(
            yearCounts.map((years) => ({ years })),
          )
        },
      ),
    )
  })

  test('calculateFactor returns full years from each day on which a contract year begins (fault 8)', () => {
    expect(calculateFactor('2029-02-28', '2032-02-29', '2028-02-29')).toEqual({ years: 3 })
    expect(calculateFactor('2031-02-28', '2032-02-29', '2028-02-29')).toEqual({ years: 1 })
    // No year of the contract begins on this day. The year begins on the 29th.
    expect(calculateFactor('2032-02-28', '2033-02-28', '2028-02-29')).toEqual({ years: 1 })
    expect(calculateFactor('2029-02-27', '2032-02-29', '2028-02-29')).toEqual({ days: 1097 })
  })
})

describe('a gap between periods', () => {
  test('starts a new count on the day of the order (fault 8)', () => {
    const [first, second, third] = buyBackups('2026-01-31', [
      oneMonth,
      { ...oneMonth, today: '2026-03-05' },
      { ...oneMonth, today: '2026-03-05' },
    ])
    expect(first).toMatchObject({ end: '2026-02-28', anchor: { date: '2026-01-31', months: 1 } })
    expect(second).toMatchObject({ start: '2026-03-05', end: '2026-04-05', anchor: { date: '2026-03-05', months: 1 } })
    expect(third).toMatchObject({ start: '2026-04-05', end: '2026-05-05', anchor: { date: '2026-03-05', months: 2 } })
  })

  test('does not exist if the next period is bought on the day of the end (fault 8)', () => {
    expect(getEnds(buyBackups('2026-01-31', [oneMonth, { ...oneMonth, today: '2026-02-28' }]))).toEqual([
      '2026-02-28',
      '2026-03-31',
    ])
    const contract = extendContract('2028-02-29', [1])
    const result = quoteExtension(quoteInput, contract.end, '2029-02-28', 3, contract.anchor)
    expect(result).toMatchObject({ quote: { period_start: '2029-02-28', period_end: '2032-02-29' } })
  })
})

describe('a backup that is cut at the end of its contract', () => {
  test('sets no anchor, so the next purchase counts from the cut (fault 8)', () => {
    const [first, cutPeriod, next, fourth] = buyBackups('2026-01-31', [
      oneMonth,
      { ...oneMonth, period: 2, contractEnd: '2026-04-10' },
      { ...oneMonth, contractEnd: '2027-04-10' },
      { ...oneMonth, contractEnd: '2027-04-10' },
    ])
    expect(first).toMatchObject({ end: '2026-02-28', isCut: false, anchor: { date: '2026-01-31', months: 1 } })
    // The two months are 02-28 to 03-31, and the started month after it.
    expect(cutPeriod).toMatchObject({ start: '2026-02-28', end: '2026-04-10', months: 2, isCut: true, anchor: null })
    expect(next).toMatchObject({ start: '2026-04-10', end: '2026-05-10', anchor: { date: '2026-04-10', months: 1 } })
    expect(fourth).toMatchObject({ end: '2026-06-10', anchor: { date: '2026-04-10', months: 2 } })
  })

  test('is not marked as cut if it ends on the same day without a cut (fault 8)', () => {
    const [, second] = buyBackups('2026-01-31', [oneMonth, { ...oneMonth, contractEnd: '2026-03-31' }])
    expect(second).toMatchObject({ end: '2026-03-31', isCut: false, anchor: { date: '2026-01-31', months: 2 } })
  })

  test('never costs more months than were ordered (fault 8)', () => {
    // If months were counted from 02-28, a second month would begin on 03-28.
    const [, cutPeriod] = buyBackups('2026-01-31', [oneMonth, { ...oneMonth, contractEnd: '2026-03-29' }])
    expect(cutPeriod).toMatchObject({ end: '2026-03-29', months: 1, isCut: true })
  })
})

describe('a period that was bought under the old rule', () => {
  test('keeps its end, and the next purchase gives the lost days back (fault 8)', () => {
    const currentPeriod = { end: '2026-05-28', anchor: { date: '2026-01-31', months: 4 } }
    const bounds = {
      today: '2026-05-01',
      currentEnd: currentPeriod.end,
      anchor: currentPeriod.anchor,
      contractEnd: farDate,
    }
    expect(calculateBackupPeriod({ ...bounds, ...oneMonth })).toMatchObject({
      start: '2026-05-28',
      end: '2026-06-30',
      months: 1,
    })
    expect(calculateBackupPeriod({ ...bounds, ...oneMonth, contractEnd: '2026-05-30' })).toMatchObject({
      months: 1,
      isCut: true,
    })
  })

  test('has the first day of the contract as its anchor if none was stored (fault 8)', () => {
    const contract = { period_start: '2028-02-29', period_end: '2032-02-28' }
    expect(getContractAnchor(contract)).toEqual({ date: '2028-02-29', months: 48 })
    expect(getContractAnchor({ ...contract, anchor_date: null, anchor_months: null })).toEqual(
      getContractAnchor(contract),
    )
    const result = quoteExtension(quoteInput, contract.period_end, '2032-01-01', 4, getContractAnchor(contract))
    expect(result).toMatchObject({ quote: { period_start: '2032-02-28', period_end: '2036-02-29' } })
  })

  test('does not use an anchor that does not lead to its end (fault 8)', () => {
    const anchor = { date: '2026-01-01', months: 12 }
    const result = quoteExtension(quoteInput, '2027-03-01', '2026-12-20', 1, anchor)
    expect(result).toMatchObject({ quote: { period_end: '2028-03-01' } })
  })
})
