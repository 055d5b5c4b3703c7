import { maxActivityDays } from '#domain/audit-log/activity.ts'
import { addDays, countDaysBetween } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import type { TrailRange } from '#features/audit-trail/list/trail-view.ts'

export interface ActivityDay {
  day: PlainDate
  done: number
  failed: number
}

/** Maximum number of days without entries at the end of the chart. If the range ends later, the chart ends at the last entry. */
const maxDaysAhead = 60

/** Returns every displayed day in order, without gaps. If the range is too long for the chart, returns only its last days. */
export function fillDays(days: readonly ActivityDay[], range: TrailRange): ActivityDay[] {
  const sortedDays = days.toSorted((a, b) => (a.day < b.day ? -1 : 1))
  const [firstDay, lastDay] = [sortedDays[0]?.day, sortedDays.at(-1)?.day]
  if (firstDay === undefined || lastDay === undefined) return []
  const daysByDate = new Map(sortedDays.map((activityDay) => [activityDay.day, activityDay]))
  const { from, to } = extendRange(firstDay, lastDay, range)
  const filledDays: ActivityDay[] = []
  for (let day = to; day >= from && filledDays.length < maxActivityDays; day = addDays(day, -1))
    filledDays.push(daysByDate.get(day) ?? { day, done: 0, failed: 0 })
  return filledDays.toReversed()
}

function extendRange(firstDay: PlainDate, lastDay: PlainDate, { dateFrom, dateTo }: TrailRange) {
  const isEndNear = dateTo !== null && dateTo > lastDay && countDaysBetween(lastDay, dateTo) <= maxDaysAhead
  return {
    from: dateFrom !== null && dateFrom < firstDay ? dateFrom : firstDay,
    to: isEndNear ? dateTo : lastDay,
  }
}
