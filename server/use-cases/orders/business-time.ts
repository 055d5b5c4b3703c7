import { getFirstPayableDay } from '#domain/contracts.ts'
import { getStartOfDay, toTimestamp } from '#domain/time.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import type { UseCaseContext } from '#server/context/context.ts'

/** Returns the current time in the business time zone. */
export const getBusinessMoment = ({ app, now }: Pick<UseCaseContext, 'app' | 'now'>): Moment => {
  const timestamp = toTimestamp(app.config.timeZone, now)
  const today = timestamp.slice(0, 10)
  return { now: timestamp, today, payableSince: getStartOfDay(app.config.timeZone, getFirstPayableDay(today)) }
}
