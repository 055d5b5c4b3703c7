/** Share of the annual fee for the rest of a period, and the paid segments of a contract (D9 to D12). */
import { addYears, countDaysBetween, getLaterDate, countYearsBetween } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { divideRounded, type Hundredths } from '#domain/money.ts'

/** A paid period of a contract. `end` is exclusive; `annualFee` is the annual fee at which it was sold. */
export interface PaidSegment {
  start: PlainDate
  end: PlainDate
  annualFee: Hundredths
}

/**
 * Number of whole years, or else of days, which cost days / 365 of the annual fee, also in leap years. If it has both, the days exceed the
 * years, and only the years are charged (D9).
 */
export type ProrationFactor = { years: number; days?: number } | { days: number }

const yearDays = 365

/**
 * Returns the factor for the time from `from` up to `to` (exclusive), which must be later. It is capped at the whole years that reach `to`,
 * so that it never rises when `from` moves later (decision 61). `anchor` is the day from which the contract's years are counted (decision
 * 60).
 */
export function calculateFactor(from: PlainDate, to: PlainDate, anchor: PlainDate = from): ProrationFactor {
  const years = countYearsToReach(from, to, anchor)
  if (addContractYears(from, years, anchor) === to) return { years }
  const days = countDaysBetween(from, to)
  return days > years * yearDays ? { years, days } : { days }
}

/** Adds years. If `from` is an anniversary of the anchor, they are counted from the anchor, so that 29 February returns in leap years. */
function addContractYears(from: PlainDate, years: number, anchor: PlainDate): PlainDate {
  const passedYears = countYearsBetween(anchor, from)
  return passedYears >= 0 && addYears(anchor, passedYears) === from
    ? addYears(anchor, passedYears + years)
    : addYears(from, years)
}

/** Returns the smallest number of whole years from `from` that end at or after `to`. */
function countYearsToReach(from: PlainDate, to: PlainDate, anchor: PlainDate): number {
  const years = countYearsBetween(from, to)
  return years < 1 || addContractYears(from, years, anchor) < to ? years + 1 : years
}

const toDayShares = (factor: ProrationFactor): bigint =>
  BigInt('years' in factor ? factor.years * yearDays : factor.days)

export interface RemainingSegment extends PaidSegment {
  factor: ProrationFactor
}

/** The parts of the paid segments that remain, including today (D10). `anchor` is for `calculateFactor`. */
export function findRemainingSegments(
  segments: readonly PaidSegment[],
  today: PlainDate,
  anchor?: PlainDate,
): RemainingSegment[] {
  return segments
    .filter(({ end }) => end > today)
    .map(({ start, end, annualFee }) => {
      const from = getLaterDate(start, today)
      return { start: from, end, annualFee, factor: calculateFactor(from, end, anchor) }
    })
}

/**
 * Returns the amounts of the segments, at their own annual fees or at one fee for all. Only the sum is rounded (D12). Rounding differences
 * are carried to the next line, so that the lines add up to the sum.
 */
export function prorate(
  segments: readonly RemainingSegment[],
  annualFee?: Hundredths,
): { amount: Hundredths; lines: Hundredths[] } {
  let exactSum = 0n
  let roundedSum = 0n
  const lines = segments.map((segment) => {
    exactSum += (annualFee ?? segment.annualFee) * toDayShares(segment.factor)
    const nextRoundedSum = divideRounded(exactSum, BigInt(yearDays))
    const line = nextRoundedSum - roundedSum
    roundedSum = nextRoundedSum
    return line
  })
  return { amount: roundedSum, lines }
}

/** Sets the fee of current and future segments after a paid change. Past segments do not change (D12). */
export const applyChange = (
  segments: readonly PaidSegment[],
  orderDay: PlainDate,
  annualFee: Hundredths,
): PaidSegment[] =>
  segments.map((segment) =>
    segment.end > orderDay ? { start: getLaterDate(segment.start, orderDay), end: segment.end, annualFee } : segment,
  )
