/** Positions of the chart of terms, in percent of its width. */
import type { OrderRow } from '#contract/orders.ts'
import { addDays, countDaysBetween } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

export interface TermBar {
  row: OrderRow
  start: number
  width: number
}

interface TermBars {
  bars: TermBar[]
  today: number
  /** The beginnings of years. */
  years: { year: string; at: number }[]
}

/** Years that have room for a label. With more, only every second, third ... has one. */
const maxYears = 5

/** `rows` must not be empty. The chart begins with the earliest term and ends with the latest, and always contains today. */
export function layOutTerms(rows: readonly OrderRow[], today: PlainDate): TermBars {
  const days = [today, ...rows.flatMap(({ period_start: start, expired_date: end }) => [start, end])].toSorted()
  const [first = today, last = today] = [days[0], days.at(-1)]
  // The last day ends with the chart.
  const length = countDaysBetween(first, last) + 1
  const toPercent = (day: PlainDate) => round((countDaysBetween(first, day) / length) * 100)
  return {
    bars: rows.map((row) => {
      const start = toPercent(row.period_start)
      return { row, start, width: round(toPercent(addDays(row.expired_date, 1)) - start) }
    }),
    today: toPercent(today),
    years: listYears(first, last).map((year) => ({ year, at: toPercent(`${year}-01-01`) })),
  }
}

const round = (percent: number) => Math.round(percent * 100) / 100

/** The years that begin within the chart. */
function listYears(first: PlainDate, last: PlainDate): string[] {
  const [firstYear, lastYear] = [Number(first.slice(0, 4)) + 1, Number(last.slice(0, 4))]
  const count = Math.max(0, lastYear - firstYear + 1)
  const step = Math.ceil(count / maxYears)
  return Array.from({ length: count }, (_, index) => firstYear + index)
    .filter((_, index) => index % step === 0)
    .map((year) => String(year).padStart(4, '0'))
}
