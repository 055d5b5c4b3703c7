/** What a subscription would cost, by the engine that the server has too, on the price list that is here (D17, D20, D21, D89). */
import type { BackupType } from '#contract/backups.ts'
import type { BackupPrices } from '#domain/fees/price-list.ts'
import { backupAmount, backupPeriod } from '#domain/fees/backup.ts'
import { type BackupRates, backupRates, type TrafficRates, trafficRates } from '#domain/fees/backup-prices.ts'
import { explainBackup, type Step } from '#domain/fees/explain.ts'
import { type Currency, maxAmount, writeAmount } from '#domain/money.ts'
import type { PeriodAnchor } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'

/** What a list asks for one kind of backup in one currency; `traffic`: where it causes any. */
export interface BackupPrice extends BackupRates {
  traffic: TrafficRates | null
}

export const priceOf = (prices: BackupPrices, type: BackupType, currency: Currency): BackupPrice => ({
  ...backupRates(prices, type, currency),
  traffic: type === 'pdb2s3' ? trafficRates(prices, currency) : null,
})

export interface Terms {
  period: number
  unit: 'year' | 'month'
}

/** Between what a subscription can lie: its own present end (null: there is none), the contract's, both exclusive. */
export interface Bounds {
  today: PlainDate
  present: PlainDate | null
  /** From where the present subscription counts; null: it has none. */
  anchor: PeriodAnchor | null
  contractEnd: PlainDate
}

export interface BackupFigure {
  start: PlainDate
  /** Exclusive. */
  end: PlainDate
  months: number
  /** It would have gone on longer than the contract does. */
  isCut: boolean
  /** No amount can say it, so that it cannot be ordered. */
  isTooLarge: boolean
  /** Percent. */
  discount: string
  amount: string
  pay_amount: string
  steps: () => readonly AnyStep[]
}

/** As they come over the wire too. */
export type AnyStep = Pick<Step, 'rule' | 'values' | 'amount'> & { code: string }

/** Null: nothing of the contract is left for it. */
export function quoteBackup(
  { annual, discount }: BackupPrice,
  bounds: Bounds,
  { period, unit }: Terms,
): BackupFigure | null {
  const when = backupPeriod({ ...bounds, period, unit })
  if (!when) return null
  const { amount, payAmount } = backupAmount(annual, when.months, discount)
  return {
    ...when,
    isTooLarge: amount > maxAmount,
    discount: writeAmount(discount),
    amount: writeAmount(amount),
    pay_amount: writeAmount(payAmount),
    steps: () => explainBackup({ annual, discount, ...when }),
  }
}

/** Whether anything of the contract is left to subscribe. */
export const isSold = (bounds: Bounds): boolean => backupPeriod({ ...bounds, period: 1, unit: 'month' }) !== null
