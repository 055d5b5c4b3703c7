/** Plain dates of contracts and backups: `YYYY-MM-DD`, no zone. Ends are exclusive; people see the day before (D18). */
import type { PlainDate } from '#domain/time.ts'

const pad = (value: number, width: number) => String(value).padStart(width, '0')
const toPlainDate = (date: Date): PlainDate =>
  `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`

/** The same day so many years later; 29 February becomes the 28th where there is none (D19). */
export function addYears(date: PlainDate, years: number): PlainDate {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const shifted = new Date(Date.UTC(year + years, month - 1, day))
  // The day rolled over into March: day 0 of March is the last of February.
  return toPlainDate(shifted.getUTCMonth() === month - 1 ? shifted : new Date(Date.UTC(year + years, month, 0)))
}

/** So many years does a contract run, whatever was added to it: each of its parts is whole years. `end` is exclusive. */
export const countYearsBetween = (start: PlainDate, end: PlainDate): number =>
  Number(end.slice(0, 4)) - Number(start.slice(0, 4))

/** The last day inside a period that ends before `end` (D18). */
export const getLastDay = (end: PlainDate): PlainDate => addDays(end, -1)

/** The same day so many months later, or the last of that month where it has no such day. */
export function addMonths(date: PlainDate, months: number): PlainDate {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const lastOfMonth = new Date(Date.UTC(year, month + months, 0))
  return toPlainDate(
    new Date(
      Date.UTC(lastOfMonth.getUTCFullYear(), lastOfMonth.getUTCMonth(), Math.min(day, lastOfMonth.getUTCDate())),
    ),
  )
}

/** From where consecutive periods count, and the months bought since. Their end is worked out from these alone (decision 60). */
export interface PeriodAnchor {
  date: PlainDate
  months: number
}

/** Exclusive. */
export const getAnchoredEnd = ({ date, months }: PeriodAnchor): PlainDate => addMonths(date, months)

/** A period that was bought; no anchor: it was cut, or its anchor is not known. */
export interface BoughtPeriod {
  /** Exclusive. */
  end: PlainDate
  anchor: PeriodAnchor | null
}

/**
 * What a period that starts on that day counts from. One that follows the last one without a gap has the same anchor, every
 * other one begins at its own start. An anchor that leads to another month than the last end is not the one it was bought by.
 */
export function getAnchor(start: PlainDate, lastPeriod: BoughtPeriod | null): PeriodAnchor {
  const anchor = lastPeriod?.end === start ? lastPeriod.anchor : null
  return anchor && getAnchoredEnd(anchor).slice(0, 7) === start.slice(0, 7) ? anchor : { date: start, months: 0 }
}

export const addToAnchor = ({ date, months }: PeriodAnchor, boughtMonths: number): PeriodAnchor => ({
  date,
  months: months + boughtMonths,
})

/** Backwards where the days are negative. */
export function addDays(date: PlainDate, days: number): PlainDate {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return toPlainDate(new Date(Date.UTC(year, month - 1, day + days)))
}

const dayMs = 86_400_000
const toEpochMs = (date: PlainDate) => Date.parse(`${date}T00:00:00Z`)

/** From the first until before the second. */
export const countDaysBetween = (from: PlainDate, to: PlainDate): number => (toEpochMs(to) - toEpochMs(from)) / dayMs

/**
 * Days that are left until that last day: 0 on the day itself, negative after it. Every screen and mail that says "in 12 days" or
 * "12 days left" counts by this.
 */
export const countDaysLeft = (today: PlainDate, lastDay: PlainDate): number => countDaysBetween(today, lastDay)

/** Months that begin between them: a part of one counts as one (D20). */
export function countStartedMonths(from: PlainDate, to: PlainDate): number {
  const [year = 0, month = 1] = from.split('-').map(Number)
  const [toYear = 0, toMonth = 1] = to.split('-').map(Number)
  const months = (toYear - year) * 12 + (toMonth - month)
  return addMonths(from, months) < to ? months + 1 : months
}

export const getLaterDate = (a: PlainDate, b: PlainDate): PlainDate => (a > b ? a : b)

/** Whether there is such a day: the shape alone lets 30 February through. */
export const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && addDays(text, 0) === text

/** A day that a database and a calendar know alike. */
export const isDay = (text: string): boolean => /^(19|2\d)/.test(text) && isDate(text)

/** Such a day and a time of it, `YYYY-MM-DD HH:mm`. */
export const isMinute = (text: string): boolean =>
  /^.{10} ([01]\d|2[0-3]):[0-5]\d$/.test(text) && isDay(text.slice(0, 10))
