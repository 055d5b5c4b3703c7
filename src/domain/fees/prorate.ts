/** How much of a year's fee the rest of a period costs, and which stretches of a contract are paid at what (D9 to D12). */
import { addYears, daysBetween, laterOf, yearsBetween } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import { divided, type Hundredths } from '#domain/money.ts'

/** A paid stretch of a contract. The end is exclusive; `annual` is what a year of it was sold at. */
export interface Segment {
  start: PlainDate
  end: PlainDate
  annual: Hundredths
}

/** Whole years, else days of 365, in leap years too. Years with days: so many days, which count as no more than these years (D9). */
export type Factor = { years: number; days?: number } | { days: number }

const yearDays = 365

/**
 * Of the time from `from` until before `to`; `to` is later. Never more than the whole years that reach `to`, so that it does not
 * rise as `from` moves later (decision 61). `anchor`: the day that the contract's years count from (decision 60).
 */
export function factor(from: PlainDate, to: PlainDate, anchor: PlainDate = from): Factor {
  const years = yearsToReach(from, to, anchor)
  if (yearsAfter(from, years, anchor) === to) return { years }
  const days = daysBetween(from, to)
  return days > years * yearDays ? { years, days } : { days }
}

/** On a day on which one of the contract's years begins, years are added to its anchor: a 29 February comes back in leap years. */
function yearsAfter(from: PlainDate, years: number, anchor: PlainDate): PlainDate {
  const passed = yearsBetween(anchor, from)
  return passed >= 0 && addYears(anchor, passed) === from ? addYears(anchor, passed + years) : addYears(from, years)
}

/** The fewest whole years from `from` on that end at `to` or after it. */
function yearsToReach(from: PlainDate, to: PlainDate, anchor: PlainDate): number {
  const years = yearsBetween(from, to)
  return years < 1 || yearsAfter(from, years, anchor) < to ? years + 1 : years
}

/** The factor as so many 365ths. */
const share = (of: Factor): bigint => BigInt('years' in of ? of.years * yearDays : of.days)

export interface Stretch extends Segment {
  factor: Factor
}

/** What of the paid segments is still to come; today counts (D10). `anchor`: as of `factor`. */
export function remaining(segments: readonly Segment[], today: PlainDate, anchor?: PlainDate): Stretch[] {
  return segments
    .filter(({ end }) => end > today)
    .map(({ start, end, annual }) => {
      const from = laterOf(start, today)
      return { start: from, end, annual, factor: factor(from, end, anchor) }
    })
}

/**
 * The amounts of the stretches, each at its own fee a year or all at one: rounded once, as a sum (D12). What a line rounds
 * off is carried on, so that the lines add up to it.
 */
export function prorated(
  stretches: readonly Stretch[],
  annual?: Hundredths,
): { amount: Hundredths; lines: Hundredths[] } {
  let exact = 0n
  let told = 0n
  const lines = stretches.map((stretch) => {
    exact += (annual ?? stretch.annual) * share(stretch.factor)
    const upToHere = divided(exact, BigInt(yearDays))
    const line = upToHere - told
    told = upToHere
    return line
  })
  return { amount: told, lines }
}

/** A paid change sells what runs and what is to come at its own fee; what is over stays as it was (D12). */
export const afterChange = (segments: readonly Segment[], orderDay: PlainDate, annual: Hundredths): Segment[] =>
  segments.map((segment) =>
    segment.end > orderDay ? { start: laterOf(segment.start, orderDay), end: segment.end, annual } : segment,
  )
