import { addDays } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

/** Maximum number of days, and the default if no first day is given. */
export const maxActivityDays = 400
const defaultDays = 90

interface ActivityInput {
  dateFrom?: PlainDate | undefined
  dateTo?: PlainDate | undefined
}

/**
 * Returns the days to count, both inclusive. There are no days if `firstDay` is after `lastDay`. `from` is the first counted day if it
 * differs from the requested one, otherwise null. `today` is in the business time zone.
 */
export function getActivityDays(
  { dateFrom, dateTo }: ActivityInput,
  today: PlainDate,
): { firstDay: PlainDate; lastDay: PlainDate; from: PlainDate | null } {
  const lastDay = dateTo ?? today
  const earliestDay = addDays(lastDay, 1 - maxActivityDays)
  const requestedFirst = dateFrom ?? addDays(lastDay, 1 - defaultDays)
  const firstDay = requestedFirst < earliestDay ? earliestDay : requestedFirst
  return { firstDay, lastDay, from: dateFrom === firstDay ? null : firstDay }
}
