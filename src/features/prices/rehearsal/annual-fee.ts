/** What one order would cost a year by a price list, worked out on this device by the engine that the server uses too. */
import type { ComponentType } from 'react'
import { quoteAnnualFee, type ContractTerms, type UatBound } from '#domain/fees/annual.ts'
import { explainAnnual, type FeeStep } from '#domain/fees/explain.ts'
import { type PriceList, getCurrencyPrices } from '#domain/fees/price-list.ts'
import { type Currency, type Hundredths, writeAmount } from '#domain/money.ts'

/** Why an amount is what it is, as the pages of orders show it: a feature sees no other one. */
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

/** A line of a plot: fee by number of users; null where the list has no price for so many. */
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

/**
 * Numbers of users that a plot of these lists needs: where their prices change, and so far beyond as the widest step before. Between
 * them the fee is a straight line.
 */
export function getPlotEdges(lists: readonly PriceList[], mode: ContractTerms['user_mode']): number[] {
  const table = mode === 'NAMED' ? 'namedUser' : 'concurrentUser'
  const ranges = lists.flatMap((list) => list[table])
  const rangeEdges = ranges.flatMap(({ from, to }) => (to >= maxUsers ? [from] : [from, to]))
  const lastEdge = Math.max(10, ...rangeEdges)
  const plotEnd = Math.min(maxUsers, Math.ceil(lastEdge * 1.25))
  const edges = new Set([1, ...rangeEdges.filter((count) => count > 0 && count <= lastEdge), lastEdge, plotEnd])
  return [...edges].sort((a, b) => a - b)
}

/** "+3.2 %" of a change; null: it began at nothing. */
export function getPercentChange(currentAmount: string, newAmount: string): number | null {
  const currentValue = Number(currentAmount)
  return currentValue === 0 ? null : ((Number(newAmount) - currentValue) / currentValue) * 100
}
