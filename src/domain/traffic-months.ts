/** Which months of a service are billed, and in which one bytes count (D22). Months are `yyyy-MM` of the business time zone. */
import { addMonths } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'

export type Month = string

export const monthIn = (date: PlainDate): Month => date.slice(0, 7)

/** The first day after it, by which a month's record is known (D18). */
export const endOfMonth = (month: Month): PlainDate => addMonths(`${month}-01`, 1)

export const monthAfter = (month: Month): Month => monthIn(endOfMonth(month))

/** Nothing is added to a month that was billed: what moves then, after a clock was put back, counts in the next one. */
export const countedIn = (today: PlainDate, closed: Month | null): Month =>
  closed !== null && monthIn(today) <= closed ? monthAfter(closed) : monthIn(today)
