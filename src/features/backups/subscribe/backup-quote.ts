/** What a subscription would cost, by the engine that the server has too, on the price list that is here (D17, D20, D21, D89). */
import type { BackupType } from '#contract/backups.ts'
import type { BackupPrices } from '#domain/checks/price-checks.ts'
import { backupAmount, type BackupPeriod, backupPeriod } from '#domain/fees/backup.ts'
import { explainBackup, type Step } from '#domain/fees/explain.ts'
import { type Currency, readAmount, writeAmount } from '#domain/money.ts'
import type { PlainDate } from '#domain/time.ts'

/** What a list asks for one kind of backup in one currency; percents and GB are text with two decimals too. */
export interface BackupPrice {
  annual: string
  discount: string
  /** Of traffic: GB a month without charge, and of each further one; null: it causes none. */
  traffic: { free: string; extra: string } | null
}

export function priceOf(prices: BackupPrices, type: BackupType, currency: Currency): BackupPrice {
  const own = currency.toLowerCase() as Lowercase<Currency>
  const traffic = { free: prices.pdb2s3_traffic, extra: prices[`pdb2s3_up_${own}`] }
  return {
    annual: prices[`${type}_fee_${own}`],
    discount: prices[`${type}_discount`],
    traffic: type === 'pdb2s3' ? traffic : null,
  }
}

export interface Terms {
  period: number
  unit: 'year' | 'month'
}

/** Between what a subscription can lie: its own present end (null: there is none), the contract's, both exclusive. */
export interface Bounds {
  today: PlainDate
  present: PlainDate | null
  contractEnd: PlainDate
}

export interface BackupFigure extends BackupPeriod {
  annual: string
  /** Percent. */
  discount: string
  amount: string
  pay_amount: string
  steps: () => Step[]
}

/** Null: nothing of the contract is left for it. */
export function quoteBackup(price: BackupPrice, bounds: Bounds, { period, unit }: Terms): BackupFigure | null {
  const when = backupPeriod({ ...bounds, period, unit })
  if (!when) return null
  const [annual, discount] = [readAmount(price.annual), readAmount(price.discount)]
  const { amount, payAmount } = backupAmount(annual, when.months, discount)
  return {
    ...when,
    annual: price.annual,
    discount: price.discount,
    amount: writeAmount(amount),
    pay_amount: writeAmount(payAmount),
    steps: () => explainBackup({ annual, discount, ...when }),
  }
}

/** Whether anything of the contract is left to subscribe. */
export const isSold = (bounds: Bounds): boolean => backupPeriod({ ...bounds, period: 1, unit: 'month' }) !== null
