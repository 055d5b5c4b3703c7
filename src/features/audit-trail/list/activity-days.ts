/** The days of the chart: those that nothing happened on are days as well. */
import { activityMost } from '#domain/audit-log/activity.ts'
import { addDays, daysBetween } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import type { Range } from '#features/audit-trail/list/list-url.ts'

export interface Day {
  day: PlainDate
  done: number
  failed: number
}

/** A range that ends so many days after its last entry is drawn to that entry: the future is no day of the log. */
const ahead = 60

/** In the order of the calendar, without a gap, over all of the range that was counted; of too long a stretch its end. */
export function everyDay(days: readonly Day[], { dateFrom, dateTo }: Range): Day[] {
  const sorted = days.toSorted((a, b) => (a.day < b.day ? -1 : 1))
  const [first, last] = [sorted[0]?.day, sorted.at(-1)?.day]
  if (first === undefined || last === undefined) return []
  const from = dateFrom !== null && dateFrom < first ? dateFrom : first
  const to = dateTo !== null && dateTo > last && daysBetween(last, dateTo) <= ahead ? dateTo : last
  const byDay = new Map(sorted.map((one) => [one.day, one]))
  const all: Day[] = []
  for (let day = to; day >= from && all.length < activityMost; day = addDays(day, -1))
    all.push(byDay.get(day) ?? { day, done: 0, failed: 0 })
  return all.toReversed()
}
