/** Calculates prices, and checks that a price that was displayed earlier is still valid (D17). */
import { createHmac } from 'node:crypto'
import { explainQuote } from '#domain/fees/explain.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { isBelowPayable } from '#domain/payments.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { calculate as calculateEndpoint } from '#contract/orders.ts'
import { findContractById } from '#server/db/orders/contracts.ts'
import type { UseCase } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { type ActingCompany, runAsCompany, runForRow } from '#server/use-cases/orders/acting-company.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { splitUnusedAmount } from '#server/use-cases/orders/contract-credit.ts'
import { hashPrices } from '#server/use-cases/catalogue/price-lists.ts'
import { type OrderTerms, buildChangeTerms, buildCreationTerms } from '#server/use-cases/orders/order-terms.ts'
import { requireNotTooSmall, requirePayableAmount } from '#server/use-cases/payments/amount-limits.ts'

type OrderQuote = OutputOf<typeof calculateEndpoint>

export const formatAmounts = ({ quote }: Pick<OrderTerms, 'quote'>) => ({
  contract_amount: writeAmount(quote.contract_amount),
  residual_amount: writeAmount(quote.residual_amount),
  amount: writeAmount(quote.amount),
  annual: writeAmount(quote.annualFee.fee),
})

/** The id is a seal over the quote, so no quote is stored. An order is priced again and must give the same id. */
function createQuoteId({ context, companyId }: ActingCompany, terms: OrderTerms): string {
  const { type, currency, choice, period, list, quote, base, clientType } = terms
  const sealedValues = [
    companyId,
    [type, clientType, currency, choice.user_mode, choice.users, choice.modules.toSorted(), choice.uat, period],
    [base?.id ?? 0, hashPrices(list), context.app.config.uatBound],
    [Object.values(formatAmounts(terms)), quote.period_start, quote.period_end],
  ]
  const seal = createHmac('sha256', context.app.config.tokenKey).update('quote').update(JSON.stringify(sealedValues))
  return `${quote.amount.toString(36)}-${list.id.toString(36)}-${seal.digest('base64url').slice(0, 32)}`
}

/** Returns the displayed amount and price list from a quote id, or null if the id is malformed. */
function parseQuoteId(id: string): { amount: string; price_id: number } | null {
  const [, amount = '', price = ''] = /^([0-9a-z]{1,12})-([0-9a-z]{1,7})-/.exec(id) ?? []
  if (amount === '') return null
  const hundredths = [...amount].reduce((sum, digit) => sum * 36n + BigInt(parseInt(digit, 36)), 0n)
  return { amount: writeAmount(hundredths), price_id: parseInt(price, 36) }
}

function buildQuote(actingCompany: ActingCompany, terms: OrderTerms): OrderQuote {
  const { quote, list, currency, choice, visibleModules, joiningModules } = terms
  const { today } = getBusinessMoment(actingCompany.context)
  const { discarded, credited } = splitUnusedAmount(terms)
  const pricesByCode = new Map(quote.annualFee.modules.map(({ code, amount }) => [code, writeAmount(amount)]))
  const namesByCode = new Map(visibleModules.map(({ code, name }) => [code, name]))
  return {
    ...formatAmounts(terms),
    discarded_amount: writeAmount(discarded),
    credited_amount: writeAmount(credited),
    currency,
    period_start: quote.period_start,
    period_end: quote.period_end,
    modules: [
      ...choice.modules.map((code) => ({
        code,
        name: namesByCode.get(code) ?? code,
        price: pricesByCode.get(code) ?? '0.00',
        auto: 0 as const,
      })),
      ...joiningModules.map(({ code, name }) => ({ code, name, price: '0.00', auto: 1 as const })),
    ],
    steps: explainQuote(quote, credited),
    quote_id: createQuoteId(actingCompany, terms),
    price_id: list.id,
    price_hash: hashPrices(list),
    effective_date: list.effective_date,
    valid_until: `${today} 23:59:59`,
  }
}

export const calculateQuote: UseCase<typeof calculateEndpoint> = async (context, { body }) => {
  if ('contract_id' in body)
    return runForRow(context, 'contract', body.contract_id, async (actingCompany) => ({
      body: buildPayableQuote(actingCompany, await buildChangeTerms(actingCompany, body, findContractById)),
    }))
  return runAsCompany(context, body.company_id, async (actingCompany) => ({
    body: buildPayableQuote(actingCompany, await buildCreationTerms(actingCompany, body)),
  }))
}

/**
 * Throws AMOUNT_TOO_LARGE or AMOUNT_TOO_SMALL if the amount cannot be paid. A small amount of a change is not refused, because it is
 * waived.
 */
function buildPayableQuote(actingCompany: ActingCompany, terms: OrderTerms): OrderQuote {
  const money = { currency: terms.currency, amount: terms.quote.amount }
  requirePayableAmount(actingCompany.context, money)
  if (terms.type !== 'change') requireNotTooSmall(actingCompany.context, money)
  return buildQuote(actingCompany, terms)
}

/** Returns the amount of a change that is too small to be paid and so not charged, or null. */
export const getWaivedAmount = ({ context: { app } }: ActingCompany, { type, currency, quote }: OrderTerms) =>
  type === 'change' && isBelowPayable(app.payments.types, currency, quote.amount) ? writeAmount(quote.amount) : null

interface DisplayedQuote {
  quote_id?: string | undefined
  price_id?: number | undefined
  amount?: string | undefined
}

/** Throws QUOTE_CHANGED with both amounts if the displayed price has changed, and the problems of a quote. */
export function requireSameQuote(
  actingCompany: ActingCompany,
  terms: OrderTerms,
  { quote_id: id, price_id, amount }: DisplayedQuote,
): void {
  const currentQuote = buildPayableQuote(actingCompany, terms)
  const isSame =
    id === undefined
      ? (price_id ?? currentQuote.price_id) === currentQuote.price_id &&
        (amount === undefined || isSameAmount(amount, currentQuote.amount))
      : id === currentQuote.quote_id
  if (isSame) return
  const displayedQuote = (id === undefined ? null : parseQuoteId(id)) ?? {
    amount: amount ?? null,
    price_id: price_id ?? null,
  }
  throw new ProblemError('QUOTE_CHANGED', { shown: displayedQuote, now: currentQuote })
}

const isSameAmount = (a: string, b: string) => readAmount(a) === readAmount(b)
