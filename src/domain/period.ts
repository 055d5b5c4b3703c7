/** Plain dates of contracts and backups: `YYYY-MM-DD`, no zone. Ends are exclusive; people see the day before (D18). */
import type { PlainDate } from '#domain/time.ts'

const pad = (value: number, width: number) => String(value).padStart(width, '0')
const plain = (date: Date): PlainDate =>
  `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`

/** The same day so many years later; 29 February becomes the 28th where there is none (D19). */
export function addYears(date: PlainDate, years: number): PlainDate {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const later = new Date(Date.UTC(year + years, month - 1, day))
  // The day rolled over into March: day 0 of March is the last of February.
  return plain(later.getUTCMonth() === month - 1 ? later : new Date(Date.UTC(year + years, month, 0)))
}

/** The last day inside a period that ends before `end` (D18). */
export function lastDay(end: PlainDate): PlainDate {
  const [year = 0, month = 1, day = 1] = end.split('-').map(Number)
  return plain(new Date(Date.UTC(year, month - 1, day - 1)))
}
