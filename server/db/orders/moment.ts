import type { PlainDate, Timestamp } from '#domain/time.ts'

/** Current time of the server's clock, in the business time zone. */
export interface Moment {
  now: Timestamp
  today: PlainDate
  /** Epoch ms. An unpaid backup that was ordered before this time can no longer be paid (D31). */
  payableSince: number
}
