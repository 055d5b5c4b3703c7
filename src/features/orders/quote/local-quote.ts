/**
 * What an order would cost, by the engine that the server has too, on the list and the modules that are here: at each
 * keystroke, with a line or without (D17, D89). What is ordered is the server's figure; the two are compared before.
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
import { getModuleNames } from '#features/orders/quote/module-names.ts'

export type PriceListInForce = PriceList & Pick<OutputOf<typeof getPriceInForce>, 'id' | 'effective_date'>
export type ModuleChoice = OutputOf<typeof listModuleChoices>[number]
/** The server's answer, with the quote's id. */
export type ServerQuote = OutputOf<typeof calculate>

/** What prices are worked out from. */
export interface PriceData {
  list: PriceListInForce
  /** Visible and hidden. */
  modules: readonly ModuleChoice[]
  uatBound: UatBound
  /** The business time zone: "today" of every rule (D31). */
  timeZone: string
}

interface RequestedChoice extends ContractTerms {
  currency: Currency
}

export type RequestedOrder =
  | (RequestedChoice & { type: 'create'; start: PlainDate; years: number })
  | RequestedExtension
  | (RequestedChoice & { type: 'change'; segments: readonly PaidSegment[]; anchor?: PlainDate })

/** From the end of the contract, or from today where that is over. `start`: its first day. */
interface RequestedExtension extends RequestedChoice, Partial<Pick<AnchoredContract, 'anchor_date' | 'anchor_months'>> {
  type: 'extend'
  start?: PlainDate
  end: PlainDate
  years: number
}

const toContractPeriod = ({ start, end, ...anchor }: RequestedExtension) =>
  start === undefined ? null : { ...anchor, period_start: start, period_end: end }

/** One module of a figure; `auto`: it joins by itself and costs nothing (D5). */
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
  /** Of what was paid, not refunded; 0.00: nothing (D14). */
  discarded_amount: string
  annual: string
  period_start: PlainDate
  /** Exclusive (D18). */
  period_end: PlainDate
  /** These two only where somebody looks: 300 modules have 300 of each. */
  modules: () => PricedModule[]
  steps: () => FeeStep[]
}

export type LocalQuote =
  | { kind: 'figure'; figure: QuoteFigure }
  /** Why there is none: codes as the server would answer. `years`: how many more the contract can run. */
  | { kind: 'none'; code: NoQuoteCode; modules: string[]; years?: number }

type NoQuoteCode =
  | 'USERS_OUT_OF_RANGE'
  | 'NOT_LISTED'
  | 'extendFirst'
  | 'AMOUNT_TOO_LARGE'
  | 'TOO_MANY_YEARS'
  | 'NO_YEARS_LEFT'

/** `today`: in the business time zone. */
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

function toFigure({ modules }: PriceData, quote: Quote): QuoteFigure {
  return {
    currency: quote.currency,
    contract_amount: writeAmount(quote.contract_amount),
    residual_amount: writeAmount(quote.residual_amount),
    amount: writeAmount(quote.amount),
    discarded_amount: writeAmount(getDiscardedAmount(quote)),
    annual: writeAmount(quote.annualFee.fee),
    period_start: quote.period_start,
    period_end: quote.period_end,
    modules: () => {
      const pricedModules = quote.annualFee.modules.map(({ code, amount }) => ({ code, price: writeAmount(amount) }))
      return listOrderedModules(modules, pricedModules, '0.00')
    },
    steps: () => explainQuote(quote),
  }
}

/** Hidden modules that the selected ones bring along (D5). */
export const findJoiningModules = (
  modules: readonly ModuleChoice[],
  selectedCodes: readonly string[],
): ModuleChoice[] =>
  filterJoiningModules(
    modules.filter(({ hidden }) => hidden),
    selectedCodes,
  )

/** The selected modules with their prices, and the hidden ones that join by themselves (D5). */
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

/** Too large for a figure: its form says so, and orders nothing. */
export const isAmountTooLarge = (quote: LocalQuote | null): boolean =>
  quote?.kind === 'none' && quote.code === 'AMOUNT_TOO_LARGE'

/** Null: the order has a figure, or its amount is too large for one. */
export const findUnlistedModules = (quote: LocalQuote | null): readonly string[] | null =>
  quote?.kind === 'none' && !isAmountTooLarge(quote) ? quote.modules : null

/** What a toggle does to the amount due; null where one of the two has none. */
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
/** What a person agreed to: the sums and the days, by the list of that id. */
export type DisplayedFigure = Pick<QuoteFigure, (typeof comparedFields)[number]> & { price_id: number }

export const toDisplayedFigure = (
  { amount, annual, contract_amount, residual_amount, period_start, period_end }: Omit<DisplayedFigure, 'price_id'>,
  { id }: { id: number },
): DisplayedFigure => ({ amount, annual, contract_amount, residual_amount, period_start, period_end, price_id: id })

/** Whether the server says what was shown. Another list that comes to the same sums is the same to who pays. */
export const isSameFigure = (
  displayedFigure: DisplayedFigure,
  serverQuote: Pick<ServerQuote, (typeof comparedFields)[number]>,
): boolean => comparedFields.every((name) => displayedFigure[name] === serverQuote[name])
