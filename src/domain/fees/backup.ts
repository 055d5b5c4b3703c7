/** Backup subscriptions (contracts 9, D20, D21). */
import {
  addToAnchor,
  anchoredEnd,
  anchorOf,
  type BoughtPeriod,
  laterOf,
  type PeriodAnchor,
  startedMonths,
} from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import { divided, type Hundredths, percentOf } from '#domain/money.ts'

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
export function backupPeriod(asked: {
  today: PlainDate
  /** End of the present subscription, exclusive; null: there is none. */
  present: PlainDate | null
  /** Of the present subscription (decision 60); null: it has none. */
  anchor?: PeriodAnchor | null
  contractEnd: PlainDate
  period: number
  unit: 'year' | 'month'
}): BackupPeriod | null {
  const { present, contractEnd } = asked
  const start = laterOf(asked.today, present ?? asked.today)
  if (start >= contractEnd) return null
  const anchor = anchorOf(start, present === null ? null : { end: present, anchor: asked.anchor ?? null })
  const months = asked.unit === 'year' ? 12 * asked.period : asked.period
  const end = anchoredEnd(addToAnchor(anchor, months))
  if (end <= contractEnd) return { start, end, months, isCut: false }
  // Of the anchored months, at least one: days that were lost to an older rule are in the next one.
  const started = Math.max(1, startedMonths(anchor.date, contractEnd) - anchor.months)
  return { start, end: contractEnd, months: started, isCut: true }
}

/** What the next subscription counts from. Null after one that was cut: that one sets no anchor, and the next begins its own. */
export const backupAnchor = (
  { start, months, isCut }: BackupPeriod,
  present: BoughtPeriod | null,
): PeriodAnchor | null => (isCut ? null : addToAnchor(anchorOf(start, present), months))

/** The fee a year times the months by twelve, and what is asked of it after the discount in hundredths of a percent. */
export function backupAmount(
  annual: Hundredths,
  months: number,
  discount: Hundredths,
): { amount: Hundredths; payAmount: Hundredths } {
  const amount = divided(annual * BigInt(months), 12n)
  return { amount, payAmount: percentOf(amount, 10_000n - discount) }
}
