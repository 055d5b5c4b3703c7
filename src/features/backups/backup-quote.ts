/** The quote of a subscription, by the server's rules and the cached price list (D17, D20, D21, D89). */
import type { PdbType } from '#contract/backups.ts'
import type { BackupPrices } from '#domain/fees/price-list.ts'
import { calculateBackupAmount, calculateBackupPeriod } from '#domain/fees/backup.ts'
import { type BackupRates, getBackupRates, type TrafficRates, getTrafficRates } from '#domain/fees/backup-prices.ts'
import { explainBackup, type FeeStep } from '#domain/fees/explain.ts'
import { type Currency, maxAmount, writeAmount } from '#domain/money.ts'
import type { PeriodAnchor } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

/** The prices of one type of backup in one currency; `traffic` null: it causes none. */
export interface BackupPrice extends BackupRates {
  traffic: TrafficRates | null
}

export const getBackupPrice = (prices: BackupPrices, type: PdbType, currency: Currency): BackupPrice => ({
  ...getBackupRates(prices, type, currency),
  traffic: type === 'pdb2s3' ? getTrafficRates(prices, currency) : null,
})

export interface SubscriptionTerms {
  period: number
  unit: 'year' | 'month'
}

/** Limits of a subscription. Both ends are exclusive; `currentEnd` null: there is no subscription yet. */
export interface SubscriptionBounds {
  today: PlainDate
  currentEnd: PlainDate | null
  /** The day from which the months of the present subscription count; null: there is none. */
  anchor: PeriodAnchor | null
  contractEnd: PlainDate
}

export interface BackupQuote {
  start: PlainDate
  /** Exclusive. */
  end: PlainDate
  months: number
  /** Shortened to the end of the contract. */
  isCut: boolean
  /** Larger than the largest amount, so that it cannot be ordered. */
  isTooLarge: boolean
  /** Percent. */
  discount: string
  amount: string
  pay_amount: string
  steps: () => readonly BackupFeeStep[]
}

/** As in the server's response too. */
export type BackupFeeStep = Pick<FeeStep, 'rule' | 'values' | 'amount'> & { code: string }

/** Null: the contract has no time left. */
export function quoteBackup(
  { annualFee: annual, discount }: BackupPrice,
  bounds: SubscriptionBounds,
  { period, unit }: SubscriptionTerms,
): BackupQuote | null {
  const subscriptionPeriod = calculateBackupPeriod({ ...bounds, period, unit })
  if (!subscriptionPeriod) return null
  const { amount, payAmount } = calculateBackupAmount(annual, subscriptionPeriod.months, discount)
  return {
    ...subscriptionPeriod,
    isTooLarge: amount > maxAmount,
    discount: writeAmount(discount),
    amount: writeAmount(amount),
    pay_amount: writeAmount(payAmount),
    steps: () => explainBackup({ annualFee: annual, discount, ...subscriptionPeriod }),
  }
}

/** Whether a present subscription goes on: the new one begins at its end. */
export const isExtension = ({ currentEnd, today }: SubscriptionBounds): boolean =>
  currentEnd !== null && currentEnd > today

/** Whether the contract has time left to subscribe. */
export const canSubscribe = (bounds: SubscriptionBounds): boolean =>
  calculateBackupPeriod({ ...bounds, period: 1, unit: 'month' }) !== null
