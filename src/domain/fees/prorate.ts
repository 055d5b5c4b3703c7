/** How much of a year's fee the rest of a period costs, and which stretches of a contract are paid at what (D9 to D12). */
import { addYears, countDaysBetween, getLaterDate, countYearsBetween } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { divideRounded, type Hundredths } from '#domain/money.ts'

/** A paid stretch of a contract. The end is exclusive; `annualFee` is what a year of it was sold at. */
export interface PaidSegment {
  start: PlainDate
  end: PlainDate
  annualFee: Hundredths
}

/** Whole years, else days of 365, in leap years too. Years with days: so many days, which count as no more than these years (D9). */
export type ProrationFactor = { years: number; days?: number } | { days: number }

const yearDays = 365

/**
 * Of the time from `from` until before `to`; `to` is later. Never more than the whole years that reach `to`, so that it does not
 * rise as `from` moves later (decision 61). `anchor`: the day that the contract's years count from (decision 60).
 */
export function calculateFactor(from: PlainDate, to: PlainDate, anchor: PlainDate = from): ProrationFactor {
  const years = countYearsToReach(from, to, anchor)
  if (addContractYears(from, years, anchor) === to) return { years }
  const days = countDaysBetween(from, to)
  return days > years * yearDays ? { years, days } : { days }
}

/** On a day on which one of the contract's years begins, years are added to its anchor: a 29 February comes back in leap years. */
function addContractYears(from: PlainDate, years: number, anchor: PlainDate): PlainDate {
  const passedYears = countYearsBetween(anchor, from)
  return passedYears >= 0 && addYears(anchor, passedYears) === from
    ? addYears(anchor, passedYears + years)
    : addYears(from, years)
}

/** The fewest whole years from `from` on that end at `to` or after it. */
function countYearsToReach(from: PlainDate, to: PlainDate, anchor: PlainDate): number {
  const years = countYearsBetween(from, to)
  return years < 1 || addContractYears(from, years, anchor) < to ? years + 1 : years
}

/** The factor as so many 365ths. */
const toDayShares = (factor: ProrationFactor): bigint =>
  BigInt('years' in factor ? factor.years * yearDays : factor.days)

export interface RemainingSegment extends PaidSegment {
  factor: ProrationFactor
}

/** What of the paid segments is still to come; today counts (D10). `anchor`: as of `factor`. */
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
 * The amounts of the stretches, each at its own fee a year or all at one: rounded once, as a sum (D12). What a line rounds
 * off is carried on, so that the lines add up to it.
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

/** A paid change sells what runs and what is to come at its own fee; what is over stays as it was (D12). */
export const applyChange = (
  segments: readonly PaidSegment[],
  orderDay: PlainDate,
  annualFee: Hundredths,
): PaidSegment[] =>
  segments.map((segment) =>
    segment.end > orderDay ? { start: getLaterDate(segment.start, orderDay), end: segment.end, annualFee } : segment,
  )
