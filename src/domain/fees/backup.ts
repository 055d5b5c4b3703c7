/** Backup subscriptions (contracts 9, D20, D21). */
import { addMonths, addYears, laterOf, startedMonths } from '#domain/period.ts'
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
  contractEnd: PlainDate
  period: number
  unit: 'year' | 'month'
}): BackupPeriod | null {
  const start = laterOf(asked.today, asked.present ?? asked.today)
  if (start >= asked.contractEnd) return null
  const wished = asked.unit === 'year' ? addYears(start, asked.period) : addMonths(start, asked.period)
  if (wished <= asked.contractEnd)
    return { start, end: wished, months: asked.unit === 'year' ? 12 * asked.period : asked.period, isCut: false }
  return { start, end: asked.contractEnd, months: startedMonths(start, asked.contractEnd), isCut: true }
}

/** The fee a year times the months by twelve, and what is asked of it after the discount in hundredths of a percent. */
export function backupAmount(
  annual: Hundredths,
  months: number,
  discount: Hundredths,
): { amount: Hundredths; payAmount: Hundredths } {
  const amount = divided(annual * BigInt(months), 12n)
  return { amount, payAmount: percentOf(amount, 10_000n - discount) }
}
