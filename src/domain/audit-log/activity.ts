/** Which days the activity of the audit trail is counted for, on the server and on a device alike. */
import { addDays } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'

/** So many days at most, and so many where no first day is named. */
export const activityMost = 400
const usual = 90

interface Asked {
  dateFrom?: PlainDate | undefined
  dateTo?: PlainDate | undefined
}

/**
 * Both days are part of it; `first` after `last`: none. `from`: where counting begins if that is not the day that was asked for. `today`:
 * in the business time zone.
 */
export function activityDays(
  { dateFrom, dateTo }: Asked,
  today: PlainDate,
): { first: PlainDate; last: PlainDate; from: PlainDate | null } {
  const last = dateTo ?? today
  const earliest = addDays(last, 1 - activityMost)
  const wanted = dateFrom ?? addDays(last, 1 - usual)
  const first = wanted < earliest ? earliest : wanted
  return { first, last, from: dateFrom === first ? null : first }
}
