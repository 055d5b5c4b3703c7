/** Which days the activity of the audit trail is counted for, on the server and on a device alike. */
import { addDays } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

/** So many days at most, and so many where no first day is named. */
export const maxActivityDays = 400
const defaultDays = 90

interface ActivityInput {
  dateFrom?: PlainDate | undefined
  dateTo?: PlainDate | undefined
}

/**
 * Both days are part of it; `firstDay` after `lastDay`: none. `from`: where counting begins if that is not the day that was asked for. `today`:
 * in the business time zone.
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
