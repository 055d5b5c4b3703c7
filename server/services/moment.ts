import { timestampIn } from '#domain/time.ts'
import type { Moment } from '#server/db/orders.ts'
import type { Context } from '#server/house.ts'

/** Now as the rules of orders and prices read it: in the business time zone. */
export const momentOf = ({ house, now }: Pick<Context, 'house' | 'now'>): Moment => {
  const stamp = timestampIn(house.config.timeZone, now)
  return { now: stamp, today: stamp.slice(0, 10) }
}
