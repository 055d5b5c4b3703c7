import type { ComponentType } from 'react'
import { quoteAnnualFee, type ContractTerms, type UatBound } from '#domain/fees/annual.ts'
import { explainAnnual, type FeeStep } from '#domain/fees/explain.ts'
import { type PriceList, getCurrencyPrices } from '#domain/fees/price-list.ts'
import { type Currency, type Hundredths, writeAmount } from '#domain/money.ts'

/** Explains an amount in the same way as order pages. The app passes the component, because a feature imports no other feature. */
export type ShowFee = ComponentType<{
  currency: Currency
  steps: readonly FeeStep[]
  namesByCode: ReadonlyMap<string, string>
}>

export type PriceListFeeResult =
  | { kind: 'priced'; amount: string; steps: FeeStep[] }
  | { kind: 'USERS_OUT_OF_RANGE' }
  | { kind: 'modules not listed'; modules: string[] }

export interface FeeInput {
  currency: Currency
  choice: ContractTerms
  uatBound: UatBound
}

export function calculateAnnualFee(list: PriceList, { currency, choice, uatBound }: FeeInput): PriceListFeeResult {
  const result = quoteAnnualFee(getCurrencyPrices(list, currency), choice, uatBound)
  if (result.kind !== 'priced') return result
  return { kind: 'priced', amount: writeAmount(result.annualFee.fee), steps: explainAnnual(result.annualFee) }
}

/** Returns the fee for each number of users. Null where the list has no price for that number. */
export const calculateFeesAt = (
  list: PriceList,
  { choice, ...priceOptions }: FeeInput,
  users: readonly number[],
): (Hundredths | null)[] =>
  users.map((count) => {
    const result = quoteAnnualFee(
      getCurrencyPrices(list, priceOptions.currency),
      { ...choice, users: count },
      priceOptions.uatBound,
    )
    return result.kind === 'priced' ? result.annualFee.fee : null
  })

const maxUsers = 999_999

/** Returns the numbers of users where a price changes, and one beyond the last. Between two of them, the fee is linear. */
export function getPlotEdges(lists: readonly PriceList[], mode: ContractTerms['user_mode']): number[] {
  const table = mode === 'NAMED' ? 'namedUser' : 'concurrentUser'
  const ranges = lists.flatMap((list) => list[table])
  const rangeEdges = ranges.flatMap(({ from, to }) => (to >= maxUsers ? [from] : [from, to]))
  const lastEdge = Math.max(10, ...rangeEdges)
  const plotEnd = Math.min(maxUsers, Math.ceil(lastEdge * 1.25))
  const edges = new Set([1, ...rangeEdges.filter((count) => count > 0 && count <= lastEdge), lastEdge, plotEnd])
  return [...edges].sort((a, b) => a - b)
}

/** Returns a change in percent, for example 3.2. Returns null if the current amount is 0. */
export function getPercentChange(currentAmount: string, newAmount: string): number | null {
  const currentValue = Number(currentAmount)
  return currentValue === 0 ? null : ((Number(newAmount) - currentValue) / currentValue) * 100
}
