import { failedStatus, type ServiceRow } from '#contract/services.ts'
import { countDaysLeft } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { endingDays } from '#features/services/view.ts'

/** A service is down if it should run and does not, as in the customers' health (server/db/customers/customers.ts). */
export const isDown = ({ fault, system_status: status }: Pick<ServiceRow, 'fault' | 'system_status'>): boolean =>
  fault !== null || status === failedStatus

/** `today` is in the business time zone (D31). */
export const isEnding = ({ expired_date: lastDay }: Pick<ServiceRow, 'expired_date'>, today: PlainDate): boolean => {
  const days = lastDay === null ? -1 : countDaysLeft(today, lastDay)
  return days >= 0 && days <= endingDays
}
