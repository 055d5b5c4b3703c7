/** Reads the agreed examples, and the two price lists that they are calculated with. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PriceList, UserMode, UserRange } from '#domain/fees/price-list.ts'
import type { Currency } from '#domain/money.ts'

type Charges = Record<'hkd' | 'usd' | 'rmb', string>
type RangeRow = [from: number, to: number, charges: Charges]

interface GoldenPriceList {
  id: string
  uat_charge: string
  uat_cap: Charges
  min_fee: Charges
  min_concurrent_user: number
  min_named_user: number
  tiers: Record<UserMode, RangeRow[]>
  modules: Record<string, Charges>
}

export interface GoldenCase {
  id: string
  kind: 'create' | 'change' | 'extend' | 'backup' | 'traffic'
  price: 'A' | 'B'
  mode: UserMode
  users: number
  modules: string[]
  currency: Currency
  uat: 0 | 1
  years: number
  today: string
  segments: { start: string; end: string; annual: string }[]
  current_period_end: string
  factors: string[]
  tiers?: string[]
  tier_sum: string
  module_sum: string
  sum?: string
  uat_raw?: string
  uat_fee?: string
  total?: string
  annual: string
  annualFee?: string
  contract_amount: string
  residual_amount: string
  amount: string
  pay_amount?: string
  period_start?: string
  period_end?: string
  shown_expiry: string
  months: number
  discount: number
  pdb_traffic: string
  free: number
  up: string
  extra: string
  error?: string
}

const readJson = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8')) as unknown

export const cases = readJson('cases.json') as GoldenCase[]

const buildPriceList = ({ uat_cap: cap, min_fee: fee, tiers, modules, ...rest }: GoldenPriceList): PriceList => ({
  ...rest,
  uat_cap_hkd: cap.hkd,
  uat_cap_usd: cap.usd,
  uat_cap_rmb: cap.rmb,
  min_fee_hkd: fee.hkd,
  min_fee_usd: fee.usd,
  min_fee_rmb: fee.rmb,
  concurrentUser: tiers.CONCURRENT.map(buildRange),
  namedUser: tiers.NAMED.map(buildRange),
  module: Object.entries(modules).map(([code, charges]) => ({ code, ...charges })),
})
const buildRange = ([from, to, charges]: RangeRow): UserRange => ({ from, to, ...charges })

export const lists = Object.fromEntries(
  (readJson('lists.json') as GoldenPriceList[]).map((list) => [list.id, buildPriceList(list)]),
) as Record<'A' | 'B', PriceList>
