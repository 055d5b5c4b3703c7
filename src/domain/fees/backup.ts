/** Backup subscriptions (contracts 9, D20, D21). */
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
  /** Exclusive. */
  end: PlainDate
  /** That are paid for. */
  months: number
  /** It would have gone on longer than the contract does. */
  isCut: boolean
}

/**
 * From today, or from where the present subscription ends; no longer than the contract (D21). Null: nothing of the
 * contract is left for it.
 */
export function calculateBackupPeriod(input: {
  today: PlainDate
  /** End of the present subscription, exclusive; null: there is none. */
  currentEnd: PlainDate | null
  /** Of the present subscription (decision 60); null: it has none. */
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
  // Of the anchored months, at least one: days that were lost to an older rule are in the next one.
  const startedMonthCount = Math.max(1, countStartedMonths(anchor.date, contractEnd) - anchor.months)
  return { start, end: contractEnd, months: startedMonthCount, isCut: true }
}

/** What the next subscription counts from. Null after one that was cut: that one sets no anchor, and the next begins its own. */
export const getBackupAnchor = (
  { start, months, isCut }: BackupPeriod,
  currentPeriod: BoughtPeriod | null,
): PeriodAnchor | null => (isCut ? null : addToAnchor(getAnchor(start, currentPeriod), months))

/** The fee a year times the months by twelve, and what is asked of it after the discount in hundredths of a percent. */
export function calculateBackupAmount(
  annualFee: Hundredths,
  months: number,
  discount: Hundredths,
): { amount: Hundredths; payAmount: Hundredths } {
  const amount = divideRounded(annualFee * BigInt(months), 12n)
  return { amount, payAmount: calculatePercent(amount, 10_000n - discount) }
}
