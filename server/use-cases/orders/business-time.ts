import { firstDayToPay } from '#domain/contracts.ts'
import { startOfDay, timestampIn } from '#domain/time.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import type { UseCaseContext } from '#server/context/context.ts'

/** Now as the rules of orders and prices read it: in the business time zone. */
export const momentOf = ({ app, now }: Pick<UseCaseContext, 'app' | 'now'>): Moment => {
  const stamp = timestampIn(app.config.timeZone, now)
  const today = stamp.slice(0, 10)
  return { now: stamp, today, payableSince: startOfDay(app.config.timeZone, firstDayToPay(today)) }
}
