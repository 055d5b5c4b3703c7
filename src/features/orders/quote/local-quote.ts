/**
 * What an order would cost, by the engine that the server has too, on the list and the modules that are here: at each
 * keystroke, with a line or without (D17, D89). What is ordered is the server's figure; the two are compared before.
 */
import { type Step, explain } from '#domain/fees/explain.ts'
import type { Choice, UatBound } from '#domain/fees/annual.ts'
import { discardedAmount } from '#domain/fees/discarded-amount.ts'
import type { PriceList } from '#domain/fees/price-list.ts'
import type { Segment } from '#domain/fees/prorate.ts'
import {
  type Asked,
  isTooLarge,
  type Quote,
  quoteChange,
  quoteCreate,
  quoteExtension,
  type QuoteResult,
} from '#domain/fees/quote.ts'
import { joined } from '#domain/catalogue/modules.ts'
import { type Currency, writeAmount } from '#domain/money.ts'
import { type AnchoredContract, contractAnchor } from '#domain/contracts.ts'
import { maxExtensionYears } from '#domain/orders.ts'
import type { PlainDate } from '#domain/time.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { calculate } from '#contract/orders.ts'
import type { listModuleChoices } from '#contract/modules.ts'
import type { getPriceInForce } from '#contract/prices.ts'

export type ListInForce = PriceList & Pick<OutputOf<typeof getPriceInForce>, 'id' | 'effective_date'>
export type ModuleInfo = OutputOf<typeof listModuleChoices>[number]
/** The server's answer, with the quote's id. */
export type ServerQuote = OutputOf<typeof calculate>

/** What prices are worked out from. */
export interface PriceData {
  list: ListInForce
  /** Visible and hidden. */
  modules: readonly ModuleInfo[]
  uatBound: UatBound
  /** The business time zone: "today" of every rule (D31). */
  zone: string
}

interface Asking extends Choice {
  currency: Currency
}

export type Wish =
  | (Asking & { type: 'create'; start: PlainDate; years: number })
  | ExtendWish
  | (Asking & { type: 'change'; segments: readonly Segment[]; anchor?: PlainDate })

/** From the end of the contract, or from today where that is over. `start`: its first day. */
interface ExtendWish extends Asking, Partial<Pick<AnchoredContract, 'anchor_date' | 'anchor_months'>> {
  type: 'extend'
  start?: PlainDate
  end: PlainDate
  years: number
}

const termOf = ({ start, end, ...anchor }: ExtendWish) =>
  start === undefined ? null : { ...anchor, period_start: start, period_end: end }

/** One module of a figure; `auto`: it joins by itself and costs nothing (D5). */
export interface PricedModule {
  code: string
  name: string
  price: string
  auto: 0 | 1
}

export interface Figure {
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
  steps: () => Step[]
}

export type LocalQuote =
  | { kind: 'figure'; figure: Figure }
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
export function quoteLocally(market: PriceData, wish: Wish, today: PlainDate): LocalQuote {
  const term = wish.type === 'extend' ? termOf(wish) : null
  if (wish.type === 'extend' && term) {
    const most = maxExtensionYears(term, today)
    if (wish.years > most)
      return { kind: 'none', code: most > 0 ? 'TOO_MANY_YEARS' : 'NO_YEARS_LEFT', modules: [], years: most }
  }
  const result = quoted(market, wish, today)
  if (result.kind === 'quote')
    return isTooLarge(result.quote)
      ? { kind: 'none', code: 'AMOUNT_TOO_LARGE', modules: [] }
      : { kind: 'figure', figure: figureOf(market, wish, result.quote) }
  if (result.kind === 'modules not listed') return { kind: 'none', code: 'NOT_LISTED', modules: result.modules }
  return { kind: 'none', code: result.kind === 'expired' ? 'extendFirst' : result.kind, modules: [] }
}

function quoted({ list, uatBound }: PriceData, wish: Wish, today: PlainDate): QuoteResult {
  const { currency, user_mode, users, modules, uat } = wish
  const asked: Asked = { list, currency, choice: { user_mode, users, modules, uat }, uatBound }
  if (wish.type === 'create') return quoteCreate(asked, wish.start, wish.years)
  if (wish.type === 'extend') {
    const term = termOf(wish)
    return quoteExtension(asked, wish.end, today, wish.years, term && contractAnchor(term))
  }
  return quoteChange(asked, wish.segments, today, wish.anchor)
}

function figureOf({ modules }: PriceData, wish: Wish, quote: Quote): Figure {
  return {
    currency: quote.currency,
    contract_amount: writeAmount(quote.contract_amount),
    residual_amount: writeAmount(quote.residual_amount),
    amount: writeAmount(quote.amount),
    discarded_amount: writeAmount(discardedAmount(quote)),
    annual: writeAmount(quote.annual.fee),
    period_start: quote.period_start,
    period_end: quote.period_end,
    modules: () => pricedModules(modules, wish.modules, quote),
    steps: () => explain(quote),
  }
}

function pricedModules(modules: readonly ModuleInfo[], chosen: readonly string[], quote: Quote): PricedModule[] {
  const names = new Map(modules.map(({ code, name }) => [code, name]))
  const hidden = modules.filter((module) => module.hidden)
  return [
    ...quote.annual.modules.map(({ code, amount }) => ({
      code,
      name: names.get(code) ?? code,
      price: writeAmount(amount),
      auto: 0 as const,
    })),
    ...joined(hidden, chosen).map(({ code, name }) => ({ code, name, price: '0.00', auto: 1 as const })),
  ]
}

/** No amount can say what it would come to: its form says so, and orders nothing. */
export const isAmountTooLarge = (quote: LocalQuote | null): boolean =>
  quote?.kind === 'none' && quote.code === 'AMOUNT_TOO_LARGE'

/** What a toggle does to the amount due; null where one of the two has none. */
export function amountAfter(
  market: PriceData,
  wish: Wish,
  today: PlainDate,
  modules: readonly string[],
): string | null {
  const result = quoted(market, { ...wish, modules }, today)
  return result.kind === 'quote' ? writeAmount(result.quote.amount) : null
}

const compared = ['amount', 'annual', 'contract_amount', 'residual_amount', 'period_start', 'period_end'] as const
/** What a person agreed to: the sums and the days, by the list of that id. */
export type Shown = Pick<Figure, (typeof compared)[number]> & { price_id: number }

export const shownOf = (figure: Figure, list: { id: number }): Shown => ({
  ...pick(figure),
  price_id: list.id,
})
const pick = (figure: Pick<Figure, (typeof compared)[number]>) => ({
  amount: figure.amount,
  annual: figure.annual,
  contract_amount: figure.contract_amount,
  residual_amount: figure.residual_amount,
  period_start: figure.period_start,
  period_end: figure.period_end,
})

/** Whether the server says what was shown. Another list that comes to the same sums is the same to who pays. */
export const isAsShown = (shown: Shown, told: Pick<ServerQuote, (typeof compared)[number]>): boolean =>
  compared.every((name) => shown[name] === told[name])
