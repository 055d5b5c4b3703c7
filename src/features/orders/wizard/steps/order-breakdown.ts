import { joined } from '#domain/catalogue/modules.ts'
import type { OrderRow } from '#contract/orders.ts'
import {
  type PriceData,
  type PricedModule,
  quoteLocally,
  type ServerQuote,
} from '#features/orders/quote/local-quote.ts'

export interface Breakdown {
  /** With those that join by themselves (D5). `price` null: the list by which it was ordered is not at hand. */
  modules: readonly (Omit<PricedModule, 'price'> & { price: string | null })[]
  steps: ServerQuote['steps'] | null
}

/**
 * What an order is made of: as the server told it, or after a reload worked out anew, where the list in force is the one by
 * which it was ordered and comes to the same amount.
 */
export function breakdownOf(order: OrderRow, told: ServerQuote | null, market: PriceData): Breakdown {
  if (told) return told
  const { currency, user_mode, users, modules, uat, period_start: start, period: years } = order
  const wish = { type: 'create' as const, currency, user_mode, users, modules, uat, start, years }
  const reckoned = order.price_id === market.list.id ? quoteLocally(market, wish, start) : null
  if (reckoned?.kind === 'figure' && reckoned.figure.amount === order.amount)
    return { modules: reckoned.figure.modules(), steps: reckoned.figure.steps() }
  const names = new Map(market.modules.map(({ code, name }) => [code, name]))
  const hidden = market.modules.filter((module) => module.hidden)
  return {
    modules: [
      ...modules.map((code) => ({ code, name: names.get(code) ?? code, price: null, auto: 0 as const })),
      ...joined(hidden, modules).map(({ code, name }) => ({ code, name, price: null, auto: 1 as const })),
    ],
    steps: null,
  }
}
