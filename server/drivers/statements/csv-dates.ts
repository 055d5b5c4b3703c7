/** Reads the dates of a column. Which of day and month comes first is decided for the whole column. */
import { isDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

/** `ambiguous`: the day and the month cannot be told apart in any row. */
export type DateOrder = 'dayFirst' | 'monthFirst' | 'ambiguous'

interface NumericDate {
  first: number
  second: number
  year: string
}

const timePattern = String.raw`(?:[T ]\s*\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?`
const yearFirstPattern = new RegExp(String.raw`^(\d{4})(?:[-/.]|年)(\d{1,2})(?:[-/.]|月)(\d{1,2})日?${timePattern}$`)
const digitsPattern = /^(\d{4})(\d{2})(\d{2})(?:\s?(?:\d{6}|\d{1,2}:\d{2}(?::\d{2})?))?$/
const yearLastPattern = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})${timePattern}$`)
const namedPattern = new RegExp(
  String.raw`^(\d{1,2})[- /.]([a-z]{3})[a-z]*\.?[- /.,]+(\d{4}|\d{2})${timePattern}$`,
  'i',
)
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const clean = (text: string) => text.normalize('NFKC').trim()

const toDay = (year: string, month: number, day: number): PlainDate | null => {
  const fullYear = year.length === 2 ? `20${year}` : year
  const date = `${fullYear}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  return isDay(date) ? date : null
}

/** Returns a date whose order of day and month is open. With dots, the day is always first. */
function readNumericDate(text: string): NumericDate | null {
  const [, first, separator, second, year = ''] = yearLastPattern.exec(text) ?? []
  return first === undefined || separator === '.' ? null : { first: Number(first), second: Number(second), year }
}

export function findDateOrder(cells: readonly string[]): DateOrder {
  const dates = cells.flatMap((cell) => readNumericDate(clean(cell)) ?? [])
  if (dates.some(({ first }) => first > 12)) return 'dayFirst'
  if (dates.some(({ second }) => second > 12)) return 'monthFirst'
  return dates.some(({ first, second }) => first !== second) ? 'ambiguous' : 'dayFirst'
}

/** Returns null if the cell has no date. `order` must not be ambiguous. */
export function readDate(cell: string, order: Exclude<DateOrder, 'ambiguous'>): PlainDate | null {
  const text = clean(cell)
  const numericDate = readNumericDate(text)
  if (numericDate) {
    const { first, second, year } = numericDate
    return order === 'dayFirst' ? toDay(year, second, first) : toDay(year, first, second)
  }
  const [, year, month, day] = yearFirstPattern.exec(text) ?? digitsPattern.exec(text) ?? []
  if (year !== undefined) return toDay(year, Number(month), Number(day))
  const [, dottedDay, , dottedMonth, dottedYear] = yearLastPattern.exec(text) ?? []
  if (dottedYear !== undefined) return toDay(dottedYear, Number(dottedMonth), Number(dottedDay))
  const [, namedDay, name = '', namedYear] = namedPattern.exec(text) ?? []
  return namedYear === undefined ? null : toDay(namedYear, monthNames.indexOf(name.toLowerCase()) + 1, Number(namedDay))
}
