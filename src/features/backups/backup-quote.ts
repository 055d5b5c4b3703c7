/** Calculates the quote of a subscription, by the server's rules and the cached price list (D17, D20, D21, D89). */
import type { PdbType } from '#contract/backups.ts'
import type { BackupPrices } from '#domain/fees/price-list.ts'
import { calculateBackupAmount, calculateBackupPeriod } from '#domain/fees/backup.ts'
import { type BackupRates, getBackupRates, type TrafficRates, getTrafficRates } from '#domain/fees/backup-prices.ts'
import { explainBackup, type FeeStep } from '#domain/fees/explain.ts'
import { type Currency, maxAmount, writeAmount } from '#domain/money.ts'
import type { PeriodAnchor } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

/** Prices of one type of backup in one currency. `traffic` is null if the type causes no traffic. */
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

/** Limits of a subscription. Both end dates are exclusive. `currentEnd` is null if there is no subscription yet. */
export interface SubscriptionBounds {
  today: PlainDate
  currentEnd: PlainDate | null
  /** The day from which the months of the current subscription are counted; null without a subscription. */
  anchor: PeriodAnchor | null
  contractEnd: PlainDate
}

export interface BackupQuote {
  start: PlainDate
  /** End date (exclusive). */
  end: PlainDate
  months: number
  isCut: boolean
  /** Whether the amount is above the maximum, so that the subscription cannot be ordered. */
  isTooLarge: boolean
  /** Percent. */
  discount: string
  amount: string
  pay_amount: string
  steps: () => readonly BackupFeeStep[]
}

/** A step of the calculation. The server's response has the same format. */
export type BackupFeeStep = Pick<FeeStep, 'rule' | 'values' | 'amount'> & { code: string }

/** Returns null if the contract has no time left. */
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

/** Returns whether the new subscription extends a current one. It then starts at the end of the current one. */
export const isExtension = ({ currentEnd, today }: SubscriptionBounds): boolean =>
  currentEnd !== null && currentEnd > today

export const canSubscribe = (bounds: SubscriptionBounds): boolean =>
  calculateBackupPeriod({ ...bounds, period: 1, unit: 'month' }) !== null
