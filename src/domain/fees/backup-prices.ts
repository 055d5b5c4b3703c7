/** Backup prices of a price list in one currency (contracts 3). */
import type { BackupType } from '#domain/backups.ts'
import type { BackupPrices, Charges } from '#domain/fees/price-list.ts'
import { type Currency, type Hundredths, readAmount } from '#domain/money.ts'

export interface BackupRates {
  annualFee: Hundredths
  /** Hundredths of a percent. */
  discount: Hundredths
}

export const getBackupRates = (prices: BackupPrices, type: BackupType, currency: Currency): BackupRates => ({
  annualFee: readAmount(prices[`${type}_fee_${currency.toLowerCase() as keyof Charges}`]),
  discount: readAmount(prices[`${type}_discount`]),
})

export interface TrafficRates {
  /** Free GB per calendar month. */
  free: Hundredths
  price: Hundredths
}

export const getTrafficRates = (prices: BackupPrices, currency: Currency): TrafficRates => ({
  free: readAmount(prices.pdb2s3_traffic),
  price: readAmount(prices[`pdb2s3_up_${currency.toLowerCase() as keyof Charges}`]),
})
