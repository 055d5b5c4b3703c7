/** Last year of this calendar, which lists all days one after the other, so that it shares no date arithmetic with the product. */
const lastYear = 2600
const dayMs = 86_400_000
/** Offset of the business zone from UTC. The zone of the specification's examples has no summer time. */
const zoneMs = 8 * 3_600_000

const hasLeapDay = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const getMonthLength = (year: number, month: number) =>
  [31, hasLeapDay(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
const formatTwoDigits = (count: number) => String(count).padStart(2, '0')

const allDays: string[] = []
for (let year = 1970; year <= lastYear; year++)
  for (let month = 1; month <= 12; month++)
    for (let day = 1; day <= getMonthLength(year, month); day++)
      allDays.push(`${year}-${formatTwoDigits(month)}-${formatTwoDigits(day)}`)
const dayNumbers = new Map(allDays.map((day, index) => [day, index]))

/** Returns the number of days since 1970-01-01. */
export function toDayNumber(day: string): number {
  const dayNumber = dayNumbers.get(day)
  if (dayNumber === undefined) throw new Error(`no such day: ${day}`)
  return dayNumber
}

export function toDay(dayNumber: number): string {
  const day = allDays[dayNumber]
  if (day === undefined) throw new Error(`the calendar has no day ${dayNumber}`)
  return day
}

export const addDays = (day: string, days: number): string => toDay(toDayNumber(day) + days)

/** Returns the same day of another month, or the nearest day before it that exists (D19). */
export function monthsAfter(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const count = year * 12 + (month - 1) + months
  for (let triedDate = date; triedDate > 0; triedDate--) {
    const existingDay = `${Math.floor(count / 12)}-${formatTwoDigits((count % 12) + 1)}-${formatTwoDigits(triedDate)}`
    if (dayNumbers.has(existingDay)) return existingDay
  }
  throw new Error(`the calendar ends before ${months} months after ${day}`)
}

export const yearsAfter = (day: string, years: number): string => monthsAfter(day, years * 12)

/** Returns the day of an instant in the business zone. */
export const toBusinessDay = (instant: number): string => toDay(Math.floor((instant + zoneMs) / dayMs))

/** Returns the instant `ms` milliseconds after the start of a day in the business zone. */
export const toInstant = (day: string, ms: number): number => toDayNumber(day) * dayMs - zoneMs + ms
