import { timestampIn } from '#domain/time.ts'
import type { Moment } from '#server/db/orders/orders.ts'
import type { ServiceContext } from '#server/context.ts'

/** Now as the rules of orders and prices read it: in the business time zone. */
export const momentOf = ({ app, now }: Pick<ServiceContext, 'app' | 'now'>): Moment => {
  const stamp = timestampIn(app.config.timeZone, now)
  return { now: stamp, today: stamp.slice(0, 10) }
}
