/** A price list in one currency, read once: what the fees are worked out from. */
import { type Currency, type Hundredths, readAmount } from '#domain/money.ts'

export type UserMode = 'CONCURRENT' | 'NAMED'

interface Charges {
  hkd: string
  usd: string
  rmb: string
}

export interface UserRange extends Charges {
  from: number
  /** Its user included (D82). */
  to: number
}

/** A price list as it is kept and sent: amounts and percents are strings with two decimals (contracts 3). */
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

export interface Range {
  from: number
  to: number
  price: Hundredths
}

/** What a list charges for backups (contracts 5): amounts, percents and GB as text with two decimals. */
export interface BackupPrices {
  pdb2s3_fee_hkd: string
  pdb2s3_fee_usd: string
  pdb2s3_fee_rmb: string
  /** GB a month without charge. */
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

/** Never two currencies in one of these: amounts of different ones cannot meet. */
export interface Prices {
  currency: Currency
  ranges: Record<UserMode, readonly Range[]>
  modules: ReadonlyMap<string, Hundredths>
  uatPercent: Hundredths
  uatBound: Hundredths
  minimum: Hundredths
}

const read = new WeakMap<PriceList, Partial<Record<Currency, Prices>>>()

/** Reading 300 amounts takes longer than adding them up: a list object is read once a currency, and must not be changed. */
export function pricesOf(list: PriceList, currency: Currency): Prices {
  const known = read.get(list) ?? {}
  read.set(list, known)
  return (known[currency] ??= inCurrency(list, currency))
}

function inCurrency(list: PriceList, currency: Currency): Prices {
  const own = currency.toLowerCase() as keyof Charges
  const rangesOf = (ranges: readonly UserRange[]): Range[] =>
    ranges
      // Rows that mean nobody are dropped when a list is saved (contracts 5).
      .filter(({ to }) => to > 0)
      .map((range) => ({ from: range.from, to: range.to, price: readAmount(range[own]) }))
      .toSorted((a, b) => a.from - b.from)
  return {
    currency,
    ranges: { CONCURRENT: rangesOf(list.concurrentUser), NAMED: rangesOf(list.namedUser) },
    modules: new Map(list.module.map((row) => [row.code, readAmount(row[own])])),
    uatPercent: readAmount(list.uat_charge),
    uatBound: readAmount(list[`uat_cap_${own}`]),
    minimum: readAmount(list[`min_fee_${own}`]),
  }
}
