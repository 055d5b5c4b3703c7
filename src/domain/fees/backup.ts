/** Periods and amounts of backup subscriptions (contracts 9, D20, D21). */
import {
  addToAnchor,
  getAnchoredEnd,
  getAnchor,
  type BoughtPeriod,
  getLaterDate,
  type PeriodAnchor,
  countStartedMonths,
} from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { divideRounded, type Hundredths, calculatePercent } from '#domain/money.ts'

export interface BackupPeriod {
  start: PlainDate
  /** Exclusive end date. */
  end: PlainDate
  months: number
  /** The period was shortened to the end of the contract. */
  isCut: boolean
}

/**
 * Returns the next period. It starts after the current subscription and ends with the contract at the latest (D21). Returns null if no time
 * is left.
 */
export function calculateBackupPeriod(input: {
  today: PlainDate
  /** End of the current subscription, exclusive; null if there is no current one. */
  currentEnd: PlainDate | null
  /** Anchor of the current subscription (decision 60), or null. */
  anchor?: PeriodAnchor | null
  contractEnd: PlainDate
  period: number
  unit: 'year' | 'month'
}): BackupPeriod | null {
  const { currentEnd, contractEnd } = input
  const start = getLaterDate(input.today, currentEnd ?? input.today)
  if (start >= contractEnd) return null
  const anchor = getAnchor(start, currentEnd === null ? null : { end: currentEnd, anchor: input.anchor ?? null })
  const months = input.unit === 'year' ? 12 * input.period : input.period
  const end = getAnchoredEnd(addToAnchor(anchor, months))
  if (end <= contractEnd) return { start, end, months, isCut: false }
  // Counts the started months from the anchor, without those already bought. At least one month is charged, also if only days remain
  // that an older rule had lost.
  const startedMonthCount = Math.max(1, countStartedMonths(anchor.date, contractEnd) - anchor.months)
  return { start, end: contractEnd, months: startedMonthCount, isCut: true }
}

/** Returns the anchor of the next subscription. Returns null after a shortened one, so that the next subscription starts a new anchor. */
export const getBackupAnchor = (
  { start, months, isCut }: BackupPeriod,
  currentPeriod: BoughtPeriod | null,
): PeriodAnchor | null => (isCut ? null : addToAnchor(getAnchor(start, currentPeriod), months))

/** `amount` is the annual fee times months / 12. `discount` is in hundredths of a percent. */
export function calculateBackupAmount(
  annualFee: Hundredths,
  months: number,
  discount: Hundredths,
): { amount: Hundredths; payAmount: Hundredths } {
  const amount = divideRounded(annualFee * BigInt(months), 12n)
  return { amount, payAmount: calculatePercent(amount, 10_000n - discount) }
}
