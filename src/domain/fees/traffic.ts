/** Traffic of backups: what goes beyond the free GB of a calendar month (D22), without the discount (D23). */
import { divided, greater, type Hundredths, maxAmount } from '#domain/money.ts'
import { lastDay } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'

/** GB in hundredths, as they are measured. */
export const extraTraffic = (measured: Hundredths, free: Hundredths): Hundredths => greater(measured - free, 0n)

/** No more than an amount can say: the month is closed whatever was measured. */
export function trafficAmount(measured: Hundredths, free: Hundredths, pricePerGb: Hundredths): Hundredths {
  const amount = divided(extraTraffic(measured, free) * pricePerGb, 100n)
  return amount > maxAmount ? maxAmount : amount
}

const bytesOfGb = 1_000_000_000n

/** A GB is 10^9 bytes, as networks and buckets count it. */
export const gigabytes = (bytes: number): Hundredths => divided(BigInt(bytes) * 100n, bytesOfGb)

/** `yyyy-MM` (contracts 9) of what ends before that day, which is the first of the next month (D18). */
export const monthOf = (end: PlainDate): string => lastDay(end).slice(0, 7)
