/** Traffic of backups: what goes beyond the free GB of a calendar month (D22), without the discount (D23). */
import { divideRounded, getLarger, type Hundredths, maxAmount } from '#domain/money.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

/** GB in hundredths, as they are measured. */
export const calculateExtraTraffic = (measuredGb: Hundredths, freeGb: Hundredths): Hundredths =>
  getLarger(measuredGb - freeGb, 0n)

/** No more than an amount can say: the month is closed whatever was measured. */
export function calculateTrafficAmount(measuredGb: Hundredths, freeGb: Hundredths, pricePerGb: Hundredths): Hundredths {
  const amount = divideRounded(calculateExtraTraffic(measuredGb, freeGb) * pricePerGb, 100n)
  return amount > maxAmount ? maxAmount : amount
}

const bytesPerGb = 1_000_000_000n

/** A GB is 10^9 bytes, as networks and buckets count it. */
export const toGigabytes = (bytes: number): Hundredths => divideRounded(BigInt(bytes) * 100n, bytesPerGb)

/** `yyyy-MM` (contracts 9) of what ends before that day, which is the first of the next month (D18). */
export const getTrafficMonth = (end: PlainDate): string => getLastDay(end).slice(0, 7)
