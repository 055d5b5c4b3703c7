/** Price of an order: a new contract, an extension or a change (contracts 9, D8). */
import { addToAnchor, getAnchoredEnd, getAnchor, getLaterDate, type PeriodAnchor } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { type Currency, getLarger, type Hundredths, maxAmount } from '#domain/money.ts'
import {
  type AnnualFee,
  quoteAnnualFee,
  type AnnualQuoteResult,
  type ContractTerms,
  type UatBound,
} from '#domain/fees/annual.ts'
import { type PriceList, getCurrencyPrices } from '#domain/fees/price-list.ts'
import { prorate, findRemainingSegments, type PaidSegment, type RemainingSegment } from '#domain/fees/prorate.ts'

interface QuoteBase {
  currency: Currency
  annualFee: AnnualFee
  period_start: PlainDate
  /** Exclusive end date (D18). */
  period_end: PlainDate
  contract_amount: Hundredths
  residual_amount: Hundredths
  /** Amount to pay, at least 0 (D14). */
  amount: Hundredths
}

export type Quote =
  | (QuoteBase & { type: 'create' | 'extend'; years: number })
  | (QuoteBase & {
      type: 'change'
      remainingSegments: readonly RemainingSegment[]
      /** Amounts by segment: `contract` at the new annual fee, `residual` at the fee at which the segment was paid. */
      lines: { contract: readonly Hundredths[]; residual: readonly Hundredths[] }
    })

export type QuoteResult =
  | { kind: 'quote'; quote: Quote }
  | Exclude<AnnualQuoteResult, { kind: 'priced' }>
  /** No time is left in the contract that could be changed (D29). */
  | { kind: 'expired' }

export interface QuoteInput {
  list: PriceList
  currency: Currency
  terms: ContractTerms
  uatBound?: UatBound
}

export function quoteCreate(input: QuoteInput, start: PlainDate, years: number): QuoteResult {
  return quoteWholeYears(input, { type: 'create', start, years, anchor: getAnchor(start, null) })
}

/**
 * Extends from the end of the contract, or from today if it has expired (contracts 4). `anchor` is that of the contract (decision 60); if
 * null, the years are counted from the start of the extension.
 */
export function quoteExtension(
  input: QuoteInput,
  currentEnd: PlainDate,
  today: PlainDate,
  years: number,
  anchor: PeriodAnchor | null = null,
): QuoteResult {
  const start = getLaterDate(currentEnd, today)
  return quoteWholeYears(input, { type: 'extend', start, years, anchor: getAnchor(start, { end: currentEnd, anchor }) })
}

interface YearsQuoteInput {
  type: 'create' | 'extend'
  start: PlainDate
  years: number
  anchor: PeriodAnchor
}

function quoteWholeYears(input: QuoteInput, { type, start, years, anchor }: YearsQuoteInput): QuoteResult {
  const result = calculateFee(input)
  if (result.kind !== 'priced') return result
  const { annualFee } = result
  const amount = annualFee.fee * BigInt(years)
  const period = { period_start: start, period_end: getAnchoredEnd(addToAnchor(anchor, 12 * years)) }
  const amounts = { contract_amount: amount, residual_amount: 0n, amount }
  return { kind: 'quote', quote: { type, years, currency: input.currency, annualFee, ...period, ...amounts } }
}

/** Returns whether an amount is too large for database and API. Parts are not checked, because they never exceed their sum. */
export const isTooLarge = ({ annualFee, contract_amount, residual_amount }: Quote): boolean =>
  [annualFee.total, annualFee.fee, contract_amount, residual_amount].some((amount) => amount > maxAmount)

/**
 * Calculates a change of modules or users for the remaining paid time. The paid amount is valued at the fee at which it was sold,
 * regardless of the current price list (D11). `segments` are ordered by date. `anchor` is the day from which the contract's years are
 * counted.
 */
export function quoteChange(
  input: QuoteInput,
  segments: readonly PaidSegment[],
  today: PlainDate,
  anchor?: PlainDate,
): QuoteResult {
  const remainingSegments = findRemainingSegments(segments, today, anchor)
  const [firstSegment, lastSegment] = [remainingSegments[0], remainingSegments.at(-1)]
  if (!firstSegment || !lastSegment) return { kind: 'expired' }
  const result = calculateFee(input)
  if (result.kind !== 'priced') return result
  const { annualFee } = result
  const contract = prorate(remainingSegments, annualFee.fee)
  const residual = prorate(remainingSegments)
  return {
    kind: 'quote',
    quote: {
      type: 'change',
      currency: input.currency,
      annualFee,
      remainingSegments,
      lines: { contract: contract.lines, residual: residual.lines },
      period_start: firstSegment.start,
      period_end: lastSegment.end,
      contract_amount: contract.amount,
      residual_amount: residual.amount,
      amount: getLarger(contract.amount - residual.amount, 0n),
    },
  }
}

const calculateFee = ({ list, currency, terms, uatBound }: QuoteInput) =>
  quoteAnnualFee(getCurrencyPrices(list, currency), terms, uatBound)
