/** Checks that the forms about money share. They are the same as those of the server. */
import { isDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { parseTypedAmount } from '#patterns/parse-typed-amount.ts'

/** `today` is null if it is unknown. The server alone then checks that the day is not in the future. */
export const isPastDay = (text: string, today: PlainDate | null): boolean =>
  isDay(text.trim()) && (today === null || text.trim() <= today)

export const isTypedAmount = (text: string): boolean => (parseTypedAmount(text) ?? 0n) > 0n

export const hasLength = (text: string, max: number, min = 1): boolean => {
  const { length } = text.trim()
  return length >= min && length <= max
}
