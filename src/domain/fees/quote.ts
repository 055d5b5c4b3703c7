/** What an order costs: a new contract, more years of one, or a change of one (contracts 9, D8). */
import { addToAnchor, anchoredEnd, anchorOf, laterOf, type PeriodAnchor } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import { type Currency, greater, type Hundredths, maxAmount } from '#domain/money.ts'
import { type Annual, annualFee, type AnnualResult, type Choice, type UatBound } from '#domain/fees/annual.ts'
import { type PriceList, pricesOf } from '#domain/fees/price-list.ts'
import { prorated, remaining, type Segment, type Stretch } from '#domain/fees/prorate.ts'

interface Priced {
  currency: Currency
  annual: Annual
  period_start: PlainDate
  /** Exclusive (D18). */
  period_end: PlainDate
  contract_amount: Hundredths
  residual_amount: Hundredths
  /** Due: never below 0 (D14). */
  amount: Hundredths
}

export type Quote =
  | (Priced & { type: 'create' | 'extend'; years: number })
  | (Priced & {
      type: 'change'
      stretches: readonly Stretch[]
      /** By stretch: at the new fee a year, and what was paid for it. */
      lines: { contract: readonly Hundredths[]; residual: readonly Hundredths[] }
    })

export type QuoteResult =
  | { kind: 'quote'; quote: Quote }
  | Exclude<AnnualResult, { kind: 'priced' }>
  /** Nothing of the contract is left that could be changed (D29). */
  | { kind: 'expired' }

/** What is asked of one list on one day. */
export interface Asked {
  list: PriceList
  currency: Currency
  choice: Choice
  uatBound?: UatBound
}

/** From its start on, so many years. */
export function quoteCreate(asked: Asked, start: PlainDate, years: number): QuoteResult {
  return wholeYears(asked, { type: 'create', start, years, anchor: anchorOf(start, null) })
}

/**
 * From where the contract ends, or from today where it has ended (contracts 4). `anchor`: of the contract (decision 60); null:
 * the years count from the start of the extension.
 */
export function quoteExtension(
  asked: Asked,
  currentEnd: PlainDate,
  today: PlainDate,
  years: number,
  anchor: PeriodAnchor | null = null,
): QuoteResult {
  const start = laterOf(currentEnd, today)
  return wholeYears(asked, { type: 'extend', start, years, anchor: anchorOf(start, { end: currentEnd, anchor }) })
}

interface WholeYears {
  type: 'create' | 'extend'
  start: PlainDate
  years: number
  anchor: PeriodAnchor
}

function wholeYears(asked: Asked, { type, start, years, anchor }: WholeYears): QuoteResult {
  const priced = price(asked)
  if (priced.kind !== 'priced') return priced
  const { annual } = priced
  const amount = annual.fee * BigInt(years)
  const period = { period_start: start, period_end: anchoredEnd(addToAnchor(anchor, 12 * years)) }
  const amounts = { contract_amount: amount, residual_amount: 0n, amount }
  return { kind: 'quote', quote: { type, years, currency: asked.currency, annual, ...period, ...amounts } }
}

/** Whether a figure of it could not be written down or sent: it is not sold. The parts of a year are no larger than their sum. */
export const isTooLarge = ({ annual, contract_amount, residual_amount }: Quote): boolean =>
  [annual.total, annual.fee, contract_amount, residual_amount].some((amount) => amount > maxAmount)

/**
 * Other modules or users for the rest of what is paid. What was paid counts at the fee that it was sold at, whatever the
 * list says now (D11). `segments` are in the order of their days. `anchor`: the day that the contract's years count from.
 */
export function quoteChange(
  asked: Asked,
  segments: readonly Segment[],
  today: PlainDate,
  anchor?: PlainDate,
): QuoteResult {
  const stretches = remaining(segments, today, anchor)
  const [first, last] = [stretches[0], stretches.at(-1)]
  if (!first || !last) return { kind: 'expired' }
  const priced = price(asked)
  if (priced.kind !== 'priced') return priced
  const { annual } = priced
  const contract = prorated(stretches, annual.fee)
  const residual = prorated(stretches)
  return {
    kind: 'quote',
    quote: {
      type: 'change',
      currency: asked.currency,
      annual,
      stretches,
      lines: { contract: contract.lines, residual: residual.lines },
      period_start: first.start,
      period_end: last.end,
      contract_amount: contract.amount,
      residual_amount: residual.amount,
      amount: greater(contract.amount - residual.amount, 0n),
    },
  }
}

const price = ({ list, currency, choice, uatBound }: Asked) => annualFee(pricesOf(list, currency), choice, uatBound)
