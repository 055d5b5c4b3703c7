/** A price list in one currency, parsed once for the fee calculation. */
import { type Currency, type Hundredths, readAmount } from '#domain/money.ts'

export type UserMode = 'CONCURRENT' | 'NAMED'

export type Charges = Record<'hkd' | 'usd' | 'rmb', string>

export interface UserRange extends Charges {
  from: number
  /** Inclusive (D82). */
  to: number
}

/** A price list as stored and sent: amounts and percentages are strings with two decimals (contracts 3). */
export interface PriceList {
  uat_charge: string
  uat_cap_hkd: string
  uat_cap_usd: string
  uat_cap_rmb: string
  min_concurrent_user: number
  min_named_user: number
  min_fee_hkd: string
  min_fee_usd: string
  min_fee_rmb: string
  concurrentUser: readonly UserRange[]
  namedUser: readonly UserRange[]
  module: readonly (Charges & { code: string })[]
}

export interface PriceRange {
  from: number
  to: number
  price: Hundredths
}

/** Backup prices of a list (contracts 5). Amounts, percentages and GB are strings with two decimals. */
export interface BackupPrices {
  pdb2s3_fee_hkd: string
  pdb2s3_fee_usd: string
  pdb2s3_fee_rmb: string
  /** Free GB per month. */
  pdb2s3_traffic: string
  pdb2s3_discount: string
  pdb2s3_up_hkd: string
  pdb2s3_up_usd: string
  pdb2s3_up_rmb: string
  pdb2rds_fee_hkd: string
  pdb2rds_fee_usd: string
  pdb2rds_fee_rmb: string
  pdb2rds_discount: string
}

/** Prices of a single currency, so that amounts of different currencies cannot be mixed. */
export interface CurrencyPrices {
  currency: Currency
  ranges: Record<UserMode, readonly PriceRange[]>
  modules: ReadonlyMap<string, Hundredths>
  uatPercent: Hundredths
  uatBound: Hundredths
  minimum: Hundredths
}

const pricesCache = new WeakMap<PriceList, Partial<Record<Currency, CurrencyPrices>>>()

/** Cached by list and currency, because parsing a list takes longer than adding its prices. The list must not be changed. */
export function getCurrencyPrices(list: PriceList, currency: Currency): CurrencyPrices {
  const pricesByCurrency = pricesCache.get(list) ?? {}
  pricesCache.set(list, pricesByCurrency)
  return (pricesByCurrency[currency] ??= toCurrencyPrices(list, currency))
}

function toCurrencyPrices(list: PriceList, currency: Currency): CurrencyPrices {
  const suffix = currency.toLowerCase() as keyof Charges
  const toPriceRanges = (ranges: readonly UserRange[]): PriceRange[] =>
    ranges
      // Ranges without users are dropped when a list is saved (contracts 5).
      .filter(({ to }) => to > 0)
      .map((range) => ({ from: range.from, to: range.to, price: readAmount(range[suffix]) }))
      .toSorted((a, b) => a.from - b.from)
  return {
    currency,
    ranges: { CONCURRENT: toPriceRanges(list.concurrentUser), NAMED: toPriceRanges(list.namedUser) },
    modules: new Map(list.module.map((row) => [row.code, readAmount(row[suffix])])),
    uatPercent: readAmount(list.uat_charge),
    uatBound: readAmount(list[`uat_cap_${suffix}`]),
    minimum: readAmount(list[`min_fee_${suffix}`]),
  }
}
