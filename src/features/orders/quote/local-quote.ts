/**
 * Calculates prices in the page with the server's fee engine, at each keystroke, online or offline (D17, D89). The order uses the server's
 * figure; the two are compared first.
 */
import { type FeeStep, explainQuote } from '#domain/fees/explain.ts'
import type { ContractTerms, UatBound } from '#domain/fees/annual.ts'
import { getDiscardedAmount } from '#domain/fees/discarded-amount.ts'
import type { PriceList } from '#domain/fees/price-list.ts'
import type { PaidSegment } from '#domain/fees/prorate.ts'
import {
  type QuoteInput,
  isTooLarge,
  type Quote,
  quoteChange,
  quoteCreate,
  quoteExtension,
  type QuoteResult,
} from '#domain/fees/quote.ts'
import { filterJoiningModules } from '#domain/catalogue/modules.ts'
import { type Currency, writeAmount } from '#domain/money.ts'
import { type AnchoredContract, getContractAnchor } from '#domain/contracts.ts'
import { getMaxExtensionYears } from '#domain/orders.ts'
import type { PlainDate } from '#domain/time.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { calculate } from '#contract/orders.ts'
import type { listModuleChoices } from '#contract/modules.ts'
import type { getPriceInForce } from '#contract/prices.ts'
import { getModuleNames } from '#features/orders/module-names.ts'

export type PriceListInForce = PriceList & Pick<OutputOf<typeof getPriceInForce>, 'id' | 'effective_date'>
export type ModuleChoice = OutputOf<typeof listModuleChoices>[number]
export type ServerQuote = OutputOf<typeof calculate>

export interface PriceData {
  list: PriceListInForce
  /** Visible and hidden modules. */
  modules: readonly ModuleChoice[]
  uatBound: UatBound
  /** What a smaller contract does not use becomes credit. The server discards it if an invoice was refunded (decision 124). */
  isUnusedCredited?: boolean
  /** The business time zone, which defines "today" in every rule (D31). */
  timeZone: string
}

interface RequestedChoice extends ContractTerms {
  currency: Currency
}

export type RequestedOrder =
  | (RequestedChoice & { type: 'create'; start: PlainDate; years: number })
  | RequestedExtension
  | (RequestedChoice & { type: 'change'; segments: readonly PaidSegment[]; anchor?: PlainDate })

/** An extension starts at the contract's end, or today if the contract has expired. `start` and `end` are the contract's dates. */
interface RequestedExtension extends RequestedChoice, Partial<Pick<AnchoredContract, 'anchor_date' | 'anchor_months'>> {
  type: 'extend'
  start?: PlainDate
  end: PlainDate
  years: number
}

const toContractPeriod = ({ start, end, ...anchor }: RequestedExtension) =>
  start === undefined ? null : { ...anchor, period_start: start, period_end: end }

/** A module with its price. With `auto` 1 it is added automatically and is free (D5). */
export interface PricedModule {
  code: string
  name: string
  price: string
  auto: 0 | 1
}

export interface QuoteFigure {
  currency: Currency
  contract_amount: string
  residual_amount: string
  amount: string
  /** The part of the paid amount that is not refunded; 0.00 if there is no such part (D14). */
  discarded_amount: string
  /** The same part if it becomes credit (decision 124). */
  credited_amount?: string
  annual: string
  period_start: PlainDate
  /** Exclusive end date (D18). */
  period_end: PlainDate
  /** Functions, so that these lists are built only when displayed: with 300 modules each has 300 entries. */
  modules: () => PricedModule[]
  steps: () => FeeStep[]
}

export type LocalQuote =
  | { kind: 'figure'; figure: QuoteFigure }
  /** `code` matches the server's codes. `years` is how many more years the contract can be extended. */
  | { kind: 'none'; code: NoQuoteCode; modules: string[]; years?: number }

type NoQuoteCode =
  | 'USERS_OUT_OF_RANGE'
  | 'NOT_LISTED'
  | 'extendFirst'
  | 'AMOUNT_TOO_LARGE'
  | 'TOO_MANY_YEARS'
  | 'NO_YEARS_LEFT'

/** `today` is in the business time zone. */
export function quoteLocally(priceData: PriceData, requestedOrder: RequestedOrder, today: PlainDate): LocalQuote {
  const term = requestedOrder.type === 'extend' ? toContractPeriod(requestedOrder) : null
  if (requestedOrder.type === 'extend' && term) {
    const maxYears = getMaxExtensionYears(term, today)
    if (requestedOrder.years > maxYears)
      return { kind: 'none', code: maxYears > 0 ? 'TOO_MANY_YEARS' : 'NO_YEARS_LEFT', modules: [], years: maxYears }
  }
  const result = quoteOrder(priceData, requestedOrder, today)
  if (result.kind === 'quote')
    return isTooLarge(result.quote)
      ? { kind: 'none', code: 'AMOUNT_TOO_LARGE', modules: [] }
      : { kind: 'figure', figure: toFigure(priceData, result.quote) }
  if (result.kind === 'modules not listed') return { kind: 'none', code: 'NOT_LISTED', modules: result.modules }
  return { kind: 'none', code: result.kind === 'expired' ? 'extendFirst' : result.kind, modules: [] }
}

function quoteOrder({ list, uatBound }: PriceData, requestedOrder: RequestedOrder, today: PlainDate): QuoteResult {
  const { currency, user_mode, users, modules, uat } = requestedOrder
  const input: QuoteInput = { list, currency, terms: { user_mode, users, modules, uat }, uatBound }
  if (requestedOrder.type === 'create') return quoteCreate(input, requestedOrder.start, requestedOrder.years)
  if (requestedOrder.type === 'extend') {
    const term = toContractPeriod(requestedOrder)
    return quoteExtension(input, requestedOrder.end, today, requestedOrder.years, term && getContractAnchor(term))
  }
  return quoteChange(input, requestedOrder.segments, today, requestedOrder.anchor)
}

function toFigure({ modules, isUnusedCredited = false }: PriceData, quote: Quote): QuoteFigure {
  const unused = getDiscardedAmount(quote)
  const credited = isUnusedCredited && quote.type === 'change' ? unused : 0n
  return {
    currency: quote.currency,
    contract_amount: writeAmount(quote.contract_amount),
    residual_amount: writeAmount(quote.residual_amount),
    amount: writeAmount(quote.amount),
    discarded_amount: writeAmount(unused - credited),
    credited_amount: writeAmount(credited),
    annual: writeAmount(quote.annualFee.fee),
    period_start: quote.period_start,
    period_end: quote.period_end,
    modules: () => {
      const pricedModules = quote.annualFee.modules.map(({ code, amount }) => ({ code, price: writeAmount(amount) }))
      return listOrderedModules(modules, pricedModules, '0.00')
    },
    steps: () => explainQuote(quote, credited),
  }
}

/** Returns the hidden modules that are added automatically with the selected ones (D5). */
export const findJoiningModules = (
  modules: readonly ModuleChoice[],
  selectedCodes: readonly string[],
): ModuleChoice[] =>
  filterJoiningModules(
    modules.filter(({ hidden }) => hidden),
    selectedCodes,
  )

/** Returns the selected modules with their prices, and the hidden modules that are added automatically (D5). */
export const listOrderedModules = <Price>(
  modules: readonly ModuleChoice[],
  selectedModules: readonly { code: string; price: Price }[],
  joiningPrice: Price,
) => {
  const selectedCodes = selectedModules.map(({ code }) => code)
  return [
    ...selectedModules.map(({ code, price }) => {
      const name = getModuleNames(modules).get(code) ?? code
      return { code, name, price, auto: 0 as const }
    }),
    ...findJoiningModules(modules, selectedCodes).map(({ code, name }) => {
      return { code, name, price: joiningPrice, auto: 1 as const }
    }),
  ]
}

/** Returns whether the amount is too large for a figure. The form then shows a message and cannot be ordered. */
export const isAmountTooLarge = (quote: LocalQuote | null): boolean =>
  quote?.kind === 'none' && quote.code === 'AMOUNT_TOO_LARGE'

/** Returns the modules without a price in the list in force. Null if the order has a figure, or if its amount is too large for one. */
export const findUnlistedModules = (quote: LocalQuote | null): readonly string[] | null =>
  quote?.kind === 'none' && !isAmountTooLarge(quote) ? quote.modules : null

/** Returns the amount due after a module is toggled. Returns null if the order cannot be priced. */
export function calculateAmountWith(
  priceData: PriceData,
  requestedOrder: RequestedOrder,
  today: PlainDate,
  modules: readonly string[],
): string | null {
  const result = quoteOrder(priceData, { ...requestedOrder, modules }, today)
  return result.kind === 'quote' ? writeAmount(result.quote.amount) : null
}

const comparedFields = ['amount', 'annual', 'contract_amount', 'residual_amount', 'period_start', 'period_end'] as const
/** The figure that the user agreed to: amounts, dates and the id of the price list. */
export type DisplayedFigure = Pick<QuoteFigure, (typeof comparedFields)[number]> & { price_id: number }

export const toDisplayedFigure = (
  { amount, annual, contract_amount, residual_amount, period_start, period_end }: Omit<DisplayedFigure, 'price_id'>,
  { id }: { id: number },
): DisplayedFigure => ({ amount, annual, contract_amount, residual_amount, period_start, period_end, price_id: id })

/** Compares amounts and dates. A different price list with equal amounts makes no difference to the payer. */
export const isSameFigure = (
  displayedFigure: DisplayedFigure,
  serverQuote: Pick<ServerQuote, (typeof comparedFields)[number]>,
): boolean => comparedFields.every((name) => displayedFigure[name] === serverQuote[name])
