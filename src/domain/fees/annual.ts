/** What a set of users and modules costs a year (contracts 9, D1 to D7). */
import { greater, type Hundredths, percentOf } from '#domain/money.ts'
import type { Prices, UserMode } from '#domain/fees/price-list.ts'
import { priceUsers, type UserLine } from '#domain/fees/tiers.ts'

/** Which way the bound of the UAT fee is read; one setting of the server, noted on each order (D1). */
export type UatBound = 'floor' | 'ceiling'

export interface Choice {
  user_mode: UserMode
  users: number
  /** Codes of visible modules. Hidden ones join by themselves and cost nothing (D5). */
  modules: readonly string[]
  uat: 0 | 1
}

export interface Annual {
  users: readonly UserLine[]
  modules: readonly { code: string; amount: Hundredths }[]
  /** Users and modules. */
  sum: Hundredths
  uat: {
    percent: Hundredths
    /** What the percentage alone makes. */
    share: Hundredths
    bound: Hundredths
    reading: UatBound
    fee: Hundredths
  } | null
  /** With the UAT fee, before the minimum. */
  total: Hundredths
  minimum: Hundredths
  /** Currency's hundredths a year. */
  fee: Hundredths
}

export type AnnualResult =
  | { kind: 'priced'; annual: Annual }
  /** More users than the list has prices for (D3). */
  | { kind: 'USERS_OUT_OF_RANGE' }
  /** Chosen, and not on this list (D16). */
  | { kind: 'modules not listed'; modules: string[] }

export function annualFee(prices: Prices, choice: Choice, reading: UatBound = 'floor'): AnnualResult {
  const { missing, modules, sum: moduleSum } = modulesOf(prices, choice.modules)
  if (missing.length > 0) return { kind: 'modules not listed', modules: missing }
  const users = priceUsers(prices.ranges[choice.user_mode], choice.users)
  if (!users) return { kind: 'USERS_OUT_OF_RANGE' }
  let sum = moduleSum
  for (const { amount } of users) sum += amount
  const uat = choice.uat === 1 ? uatFee(prices, sum, reading) : null
  const total = sum + (uat?.fee ?? 0n)
  const fee = greater(total, prices.minimum)
  return { kind: 'priced', annual: { users, modules, sum, uat, total, minimum: prices.minimum, fee } }
}

interface Modules {
  missing: string[]
  modules: Annual['modules']
  sum: Hundredths
}

const added = new WeakMap<Prices, WeakMap<readonly string[], Modules>>()

/**
 * While the number of users is dragged, the same 300 modules are asked for at each step: a chosen array is added up once a list
 * and currency, and must not be changed.
 */
function modulesOf(prices: Prices, chosen: readonly string[]): Modules {
  const known = added.get(prices) ?? new WeakMap<readonly string[], Modules>()
  added.set(prices, known)
  const found = known.get(chosen) ?? addUp(prices, chosen)
  known.set(chosen, found)
  return found
}

function addUp(prices: Prices, chosen: readonly string[]): Modules {
  const missing = chosen.filter((code) => !prices.modules.has(code))
  const modules = [...new Set(chosen)].map((code) => ({ code, amount: prices.modules.get(code) ?? 0n }))
  let sum = 0n
  for (const { amount } of modules) sum += amount
  return { missing, modules, sum }
}

function uatFee({ uatPercent: percent, uatBound: bound }: Prices, sum: Hundredths, reading: UatBound) {
  const share = percentOf(sum, percent)
  const fee = reading === 'floor' ? greater(share, bound) : -greater(-share, -bound)
  return { percent, share, bound, reading, fee }
}
