/** Annual fee of a set of users and modules (contracts 9, D1 to D7). */
import { getLarger, type Hundredths, calculatePercent } from '#domain/money.ts'
import type { CurrencyPrices, UserMode } from '#domain/fees/price-list.ts'
import { priceUsers, type UserLine } from '#domain/fees/price-users.ts'

/** Interpretation of the bound of the UAT fee: a server setting that is recorded with each order (D1). */
export type UatBound = 'floor' | 'ceiling'

export interface ContractTerms {
  user_mode: UserMode
  users: number
  /** Codes of visible modules. Hidden ones join automatically and are free (D5). */
  modules: readonly string[]
  uat: 0 | 1
}

export interface AnnualFee {
  users: readonly UserLine[]
  modules: readonly { code: string; amount: Hundredths }[]
  sum: Hundredths
  uat: {
    percent: Hundredths
    /** UAT fee as a percentage of the sum, before the bound is applied. */
    share: Hundredths
    bound: Hundredths
    uatBound: UatBound
    fee: Hundredths
  } | null
  /** Sum with the UAT fee, before the minimum fee is applied. */
  total: Hundredths
  minimum: Hundredths
  /** Annual fee, in hundredths of the currency. */
  fee: Hundredths
}

export type AnnualQuoteResult =
  | { kind: 'priced'; annualFee: AnnualFee }
  /** The list has no price for this number of users (D3). */
  | { kind: 'USERS_OUT_OF_RANGE' }
  /** Selected modules that are not on this list (D16). */
  | { kind: 'modules not listed'; modules: string[] }

export function quoteAnnualFee(
  prices: CurrencyPrices,
  terms: ContractTerms,
  uatBound: UatBound = 'floor',
): AnnualQuoteResult {
  const { missingCodes, modules, sum: moduleSum } = getModuleFees(prices, terms.modules)
  if (missingCodes.length > 0) return { kind: 'modules not listed', modules: missingCodes }
  const users = priceUsers(prices.ranges[terms.user_mode], terms.users)
  if (!users) return { kind: 'USERS_OUT_OF_RANGE' }
  let sum = moduleSum
  for (const { amount } of users) sum += amount
  const uat = terms.uat === 1 ? calculateUatFee(prices, sum, uatBound) : null
  const total = sum + (uat?.fee ?? 0n)
  const fee = getLarger(total, prices.minimum)
  return { kind: 'priced', annualFee: { users, modules, sum, uat, total, minimum: prices.minimum, fee } }
}

interface ModuleFees {
  missingCodes: string[]
  modules: AnnualFee['modules']
  sum: Hundredths
}

const moduleFeesCache = new WeakMap<CurrencyPrices, WeakMap<readonly string[], ModuleFees>>()

/**
 * Cached by price list, currency and module array, because the fee is calculated repeatedly while the user drags the slider for the number
 * of users. The arrays must not be changed.
 */
function getModuleFees(prices: CurrencyPrices, moduleCodes: readonly string[]): ModuleFees {
  const feesByModules = moduleFeesCache.get(prices) ?? new WeakMap<readonly string[], ModuleFees>()
  moduleFeesCache.set(prices, feesByModules)
  const moduleFees = feesByModules.get(moduleCodes) ?? sumModuleFees(prices, moduleCodes)
  feesByModules.set(moduleCodes, moduleFees)
  return moduleFees
}

function sumModuleFees(prices: CurrencyPrices, moduleCodes: readonly string[]): ModuleFees {
  const missingCodes = moduleCodes.filter((code) => !prices.modules.has(code))
  const modules = [...new Set(moduleCodes)].map((code) => ({ code, amount: prices.modules.get(code) ?? 0n }))
  let sum = 0n
  for (const { amount } of modules) sum += amount
  return { missingCodes, modules, sum }
}

function calculateUatFee(
  { uatPercent: percent, uatBound: bound }: CurrencyPrices,
  sum: Hundredths,
  uatBound: UatBound,
) {
  const share = calculatePercent(sum, percent)
  const fee = uatBound === 'floor' ? getLarger(share, bound) : -getLarger(-share, -bound)
  return { percent, share, bound, uatBound, fee }
}
