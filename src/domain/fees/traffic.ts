/** Traffic of backups: what goes beyond the free GB of a calendar month (D22), without the discount (D23). */
import { divided, greater, type Hundredths } from '#domain/money.ts'

/** GB in hundredths, as they are measured. */
export const extraTraffic = (measured: Hundredths, free: Hundredths): Hundredths => greater(measured - free, 0n)

export const trafficAmount = (measured: Hundredths, free: Hundredths, pricePerGb: Hundredths): Hundredths =>
  divided(extraTraffic(measured, free) * pricePerGb, 100n)
