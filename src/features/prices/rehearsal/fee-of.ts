/** What one order would cost a year by a price list, worked out on this device by the engine that the server uses too. */
import type { ComponentType } from 'react'
import { annualFee, type Choice, type UatBound } from '#domain/fees/annual.ts'
import { explainAnnual, type Step } from '#domain/fees/explain.ts'
import { type PriceList, pricesOf } from '#domain/fees/price-list.ts'
import { type Currency, type Hundredths, writeAmount } from '#domain/money.ts'

/** Why an amount is what it is, as the pages of orders show it: a feature sees no other one. */
export type ShowFee = ComponentType<{ currency: Currency; steps: readonly Step[]; names: ReadonlyMap<string, string> }>

export type Fee =
  | { kind: 'priced'; amount: string; steps: Step[] }
  | { kind: 'USERS_OUT_OF_RANGE' }
  | { kind: 'modules not listed'; modules: string[] }

export interface Asked {
  currency: Currency
  choice: Choice
  uatBound: UatBound
}

export function feeOf(list: PriceList, { currency, choice, uatBound }: Asked): Fee {
  const result = annualFee(pricesOf(list, currency), choice, uatBound)
  if (result.kind !== 'priced') return result
  return { kind: 'priced', amount: writeAmount(result.annual.fee), steps: explainAnnual(result.annual) }
}

/** A line of a plot: fee by number of users; null where the list has no price for so many. */
export const feesAt = (list: PriceList, { choice, ...asked }: Asked, users: readonly number[]): (Hundredths | null)[] =>
  users.map((count) => {
    const result = annualFee(pricesOf(list, asked.currency), { ...choice, users: count }, asked.uatBound)
    return result.kind === 'priced' ? result.annual.fee : null
  })

const maxUsers = 999_999

/**
 * Numbers of users that a plot of these lists needs: where their prices change, and so far beyond as the widest step before. Between
 * them the fee is a straight line.
 */
export function edgesOf(lists: readonly PriceList[], mode: Choice['user_mode']): number[] {
  const table = mode === 'NAMED' ? 'namedUser' : 'concurrentUser'
  const ranges = lists.flatMap((list) => list[table])
  const inner = ranges.flatMap(({ from, to }) => (to >= maxUsers ? [from] : [from, to]))
  const last = Math.max(10, ...inner)
  const beyond = Math.min(maxUsers, Math.ceil(last * 1.25))
  const found = new Set([1, ...inner.filter((count) => count > 0 && count <= last), last, beyond])
  return [...found].sort((a, b) => a - b)
}

/** "+3.2 %" of a change; null: it began at nothing. */
export function percentChange(now: string, then: string): number | null {
  const before = Number(now)
  return before === 0 ? null : ((Number(then) - before) / before) * 100
}
