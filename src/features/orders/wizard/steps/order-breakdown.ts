import type { OrderRow } from '#contract/orders.ts'
import {
  listOrderedModules,
  type PriceData,
  type PricedModule,
  quoteLocally,
  type ServerQuote,
} from '#features/orders/quote/local-quote.ts'

export interface OrderBreakdown {
  /** With those that join by themselves (D5). `price` null: the list by which it was ordered is not at hand. */
  modules: readonly (Omit<PricedModule, 'price'> & { price: string | null })[]
  steps: ServerQuote['steps'] | null
}

/**
 * The modules and fees of an order: from the server's quote, or after a reload calculated again, if the order's price list is still in
 * force and comes to the same amount.
 */
export function buildOrderBreakdown(
  order: OrderRow,
  serverQuote: ServerQuote | null,
  priceData: PriceData,
): OrderBreakdown {
  if (serverQuote) return serverQuote
  const { currency, user_mode, users, modules, uat, period_start: start, period: years } = order
  const requestedOrder = { type: 'create' as const, currency, user_mode, users, modules, uat, start, years }
  const localQuote = order.price_id === priceData.list.id ? quoteLocally(priceData, requestedOrder, start) : null
  if (localQuote?.kind === 'figure' && localQuote.figure.amount === order.amount)
    return { modules: localQuote.figure.modules(), steps: localQuote.figure.steps() }
  const orderedModules = modules.map((code) => ({ code, price: null }))
  return { modules: listOrderedModules(priceData.modules, orderedModules, null), steps: null }
}
