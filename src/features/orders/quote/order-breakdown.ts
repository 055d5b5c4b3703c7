import type { OrderRow } from '#contract/orders.ts'
import {
  listOrderedModules,
  type PriceData,
  type PricedModule,
  quoteLocally,
  type ServerQuote,
} from '#features/orders/quote/local-quote.ts'

export interface OrderBreakdown {
  /** Includes automatic modules (D5). `price` is null if the order's price list is not available. */
  modules: readonly (Omit<PricedModule, 'price'> & { price: string | null })[]
  steps: ServerQuote['steps'] | null
}

/** Uses the server's quote, or after a reload a new calculation if list and amount are still the same. */
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
