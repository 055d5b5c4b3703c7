/** Dates without a zone, `YYYY-MM-DD`. End dates are exclusive; users see the day before (D18). */
import type { PlainDate } from '#domain/time.ts'

const pad = (value: number, width: number) => String(value).padStart(width, '0')
const toPlainDate = (date: Date): PlainDate =>
  `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`

/** The same day after that many years. 29 February becomes the 28th in years without it (D19). */
export function addYears(date: PlainDate, years: number): PlainDate {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const shifted = new Date(Date.UTC(year + years, month - 1, day))
  // The date rolled over into March; day 0 of March is the last day of February.
  return toPlainDate(shifted.getUTCMonth() === month - 1 ? shifted : new Date(Date.UTC(year + years, month, 0)))
}

/** Returns the number of years of a contract with its extensions, which always have whole years. `end` is exclusive. */
export const countYearsBetween = (start: PlainDate, end: PlainDate): number =>
  Number(end.slice(0, 4)) - Number(start.slice(0, 4))

/** The last day of a period with the exclusive end `end` (D18). */
export const getLastDay = (end: PlainDate): PlainDate => addDays(end, -1)

/** The same day after that many months, or the last day of that month. */
export function addMonths(date: PlainDate, months: number): PlainDate {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const lastOfMonth = new Date(Date.UTC(year, month + months, 0))
  return toPlainDate(
    new Date(
      Date.UTC(lastOfMonth.getUTCFullYear(), lastOfMonth.getUTCMonth(), Math.min(day, lastOfMonth.getUTCDate())),
    ),
  )
}

/** Start of consecutive periods and the months bought since, which determine the end (decision 60). */
export interface PeriodAnchor {
  date: PlainDate
  months: number
}

/** Returns the exclusive end date. */
export const getAnchoredEnd = ({ date, months }: PeriodAnchor): PlainDate => addMonths(date, months)

/** A bought period. It has no anchor if it was shortened or if the anchor is unknown. */
export interface BoughtPeriod {
  /** Exclusive end date. */
  end: PlainDate
  anchor: PeriodAnchor | null
}

/**
 * Returns the anchor of a period that starts on that day. A period directly after the last one has the same anchor; other periods start
 * their own. An anchor whose end is in another month than the last end is ignored, because the period was not bought with it.
 */
export function getAnchor(start: PlainDate, lastPeriod: BoughtPeriod | null): PeriodAnchor {
  const anchor = lastPeriod?.end === start ? lastPeriod.anchor : null
  return anchor && getAnchoredEnd(anchor).slice(0, 7) === start.slice(0, 7) ? anchor : { date: start, months: 0 }
}

export const addToAnchor = ({ date, months }: PeriodAnchor, boughtMonths: number): PeriodAnchor => ({
  date,
  months: months + boughtMonths,
})

export function addDays(date: PlainDate, days: number): PlainDate {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return toPlainDate(new Date(Date.UTC(year, month - 1, day + days)))
}

const dayMs = 86_400_000
const toEpochMs = (date: PlainDate) => Date.parse(`${date}T00:00:00Z`)

/** Days from `from` (inclusive) to `to` (exclusive). */
export const countDaysBetween = (from: PlainDate, to: PlainDate): number => (toEpochMs(to) - toEpochMs(from)) / dayMs

/** Returns 0 on the last day, and a negative number after it. Used by all screens and mails with "in 12 days" or "12 days left". */
export const countDaysLeft = (today: PlainDate, lastDay: PlainDate): number => countDaysBetween(today, lastDay)

/** Number of months between the dates; a started month counts as a whole one (D20). */
export function countStartedMonths(from: PlainDate, to: PlainDate): number {
  const [year = 0, month = 1] = from.split('-').map(Number)
  const [toYear = 0, toMonth = 1] = to.split('-').map(Number)
  const months = (toYear - year) * 12 + (toMonth - month)
  return addMonths(from, months) < to ? months + 1 : months
}

export const getLaterDate = (a: PlainDate, b: PlainDate): PlainDate => (a > b ? a : b)

/** Checks that the day exists, because the format alone allows 30 February. */
export const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && addDays(text, 0) === text

/** Restricts dates to years that the database and calendars support. */
export const isDay = (text: string): boolean => /^(19|2\d)/.test(text) && isDate(text)

/** A day of `isDay` with a time, `YYYY-MM-DD HH:mm`. */
export const isMinute = (text: string): boolean =>
  /^.{10} ([01]\d|2[0-3]):[0-5]\d$/.test(text) && isDay(text.slice(0, 10))
