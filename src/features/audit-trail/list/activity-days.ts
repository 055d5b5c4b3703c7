/** The days of the chart: those that nothing happened on are days as well. */
import { maxActivityDays } from '#domain/audit-log/activity.ts'
import { addDays, countDaysBetween } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import type { TrailRange } from '#features/audit-trail/list/trail-view.ts'

export interface ActivityDay {
  day: PlainDate
  done: number
  failed: number
}

/** A range that ends so many days after its last entry is drawn to that entry: the future is no day of the log. */
const maxDaysAhead = 60

/** In the order of the calendar, without a gap, over all of the range that was counted; of too long a stretch its end. */
export function fillDays(days: readonly ActivityDay[], { dateFrom, dateTo }: TrailRange): ActivityDay[] {
  const sortedDays = days.toSorted((a, b) => (a.day < b.day ? -1 : 1))
  const [first, last] = [sortedDays[0]?.day, sortedDays.at(-1)?.day]
  if (first === undefined || last === undefined) return []
  const from = dateFrom !== null && dateFrom < first ? dateFrom : first
  const to = dateTo !== null && dateTo > last && countDaysBetween(last, dateTo) <= maxDaysAhead ? dateTo : last
  const daysByDate = new Map(sortedDays.map((activityDay) => [activityDay.day, activityDay]))
  const filledDays: ActivityDay[] = []
  for (let day = to; day >= from && filledDays.length < maxActivityDays; day = addDays(day, -1))
    filledDays.push(daysByDate.get(day) ?? { day, done: 0, failed: 0 })
  return filledDays.toReversed()
}
