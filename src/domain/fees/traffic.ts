/** Backup traffic beyond the free GB of a calendar month (D22), without the discount (D23). */
import { divideRounded, getLarger, type Hundredths, maxAmount } from '#domain/money.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

/** All values in hundredths of a GB, as measured. */
export const calculateExtraTraffic = (measuredGb: Hundredths, freeGb: Hundredths): Hundredths =>
  getLarger(measuredGb - freeGb, 0n)

/** Returns the amount of a month. It is capped at the maximum amount, because every month must be billed. */
export function calculateTrafficAmount(measuredGb: Hundredths, freeGb: Hundredths, pricePerGb: Hundredths): Hundredths {
  const amount = divideRounded(calculateExtraTraffic(measuredGb, freeGb) * pricePerGb, 100n)
  return amount > maxAmount ? maxAmount : amount
}

const bytesPerGb = 1_000_000_000n

/** A GB is 10^9 bytes, as networks and buckets count it. */
export const toGigabytes = (bytes: number): Hundredths => divideRounded(BigInt(bytes) * 100n, bytesPerGb)

/** Returns the month (`yyyy-MM`, contracts 9) that ends before `end`, the first day of the next month (D18). */
export const getTrafficMonth = (end: PlainDate): string => getLastDay(end).slice(0, 7)
