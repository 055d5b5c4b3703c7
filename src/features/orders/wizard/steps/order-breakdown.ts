import { filterJoiningModules } from '#domain/catalogue/modules.ts'
import type { OrderRow } from '#contract/orders.ts'
import {
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
 * What an order is made of: as the server told it, or after a reload worked out anew, where the list in force is the one by
 * which it was ordered and comes to the same amount.
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
  const namesByCode = new Map(priceData.modules.map(({ code, name }) => [code, name]))
  const hiddenModules = priceData.modules.filter((module) => module.hidden)
  return {
    modules: [
      ...modules.map((code) => ({ code, name: namesByCode.get(code) ?? code, price: null, auto: 0 as const })),
      ...filterJoiningModules(hiddenModules, modules).map(({ code, name }) => ({
        code,
        name,
        price: null,
        auto: 1 as const,
      })),
    ],
    steps: null,
  }
}
