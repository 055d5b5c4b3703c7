/** What something would cost, and whether what was shown is still so (D17). */
import { createHmac } from 'node:crypto'
import { explain } from '#domain/fees/explain.ts'
import { discardedAmount } from '#domain/fees/discarded-amount.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { isBelowPayable } from '#domain/payments.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { calculate as calculateEndpoint } from '#contract/orders.ts'
import { contractById } from '#server/db/orders/contracts.ts'
import type { UseCase } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { type ActingCompany, asCompany, forRow } from '#server/use-cases/orders/acting-company.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { hashOf } from '#server/use-cases/catalogue/price-lists.ts'
import { type Terms, termsOfChange, termsOfCreation } from '#server/use-cases/orders/order-terms.ts'
import { requireNotTooSmall, requirePayable } from '#server/use-cases/payments/amount-limits.ts'

type Told = OutputOf<typeof calculateEndpoint>

export const amountsOf = ({ quote }: Pick<Terms, 'quote'>) => ({
  contract_amount: writeAmount(quote.contract_amount),
  residual_amount: writeAmount(quote.residual_amount),
  amount: writeAmount(quote.amount),
  annual: writeAmount(quote.annual.fee),
})

/**
 * Nothing is kept of a quote: its id is a seal over all that it says, with the figure that was shown in front. An order
 * that bears it is worked out anew, and comes to the same id or does not.
 */
function quoteId({ context, companyId }: ActingCompany, terms: Terms): string {
  const { type, currency, choice, period, list, quote, base, clientType } = terms
  const said = [
    companyId,
    [type, clientType, currency, choice.user_mode, choice.users, choice.modules.toSorted(), choice.uat, period],
    [base?.id ?? 0, hashOf(list), context.app.config.uatBound],
    [Object.values(amountsOf(terms)), quote.period_start, quote.period_end],
  ]
  const seal = createHmac('sha256', context.app.config.tokenKey).update('quote').update(JSON.stringify(said))
  return `${quote.amount.toString(36)}-${list.id.toString(36)}-${seal.digest('base64url').slice(0, 32)}`
}

/** What a quote's id says that was shown; null where it is none of ours. */
function shownBy(id: string): { amount: string; price_id: number } | null {
  const [, amount = '', price = ''] = /^([0-9a-z]{1,12})-([0-9a-z]{1,7})-/.exec(id) ?? []
  if (amount === '') return null
  const hundredths = [...amount].reduce((sum, digit) => sum * 36n + BigInt(parseInt(digit, 36)), 0n)
  return { amount: writeAmount(hundredths), price_id: parseInt(price, 36) }
}

function quoteOf(desk: ActingCompany, terms: Terms): Told {
  const { quote, list, currency, choice, visible, joining } = terms
  const { today } = momentOf(desk.context)
  const prices = new Map(quote.annual.modules.map(({ code, amount }) => [code, writeAmount(amount)]))
  const names = new Map(visible.map(({ code, name }) => [code, name]))
  return {
    ...amountsOf(terms),
    discarded_amount: writeAmount(discardedAmount(quote)),
    currency,
    period_start: quote.period_start,
    period_end: quote.period_end,
    modules: [
      ...choice.modules.map((code) => ({
        code,
        name: names.get(code) ?? code,
        price: prices.get(code) ?? '0.00',
        auto: 0 as const,
      })),
      ...joining.map(({ code, name }) => ({ code, name, price: '0.00', auto: 1 as const })),
    ],
    steps: explain(quote),
    quote_id: quoteId(desk, terms),
    price_id: list.id,
    price_hash: hashOf(list),
    effective_date: list.effective_date,
    valid_until: `${today} 23:59:59`,
  }
}

export const calculate: UseCase<typeof calculateEndpoint> = async (context, { body }) => {
  if ('contract_id' in body)
    return forRow(context, 'contract', body.contract_id, async (desk) => ({
      body: payableQuoteOf(desk, await termsOfChange(desk, body, contractById)),
    }))
  return asCompany(context, body.company_id, async (desk) => ({
    body: payableQuoteOf(desk, await termsOfCreation(desk, body)),
  }))
}

/** Throws AMOUNT_TOO_LARGE, and AMOUNT_TOO_SMALL but for a change, which is waived. */
function payableQuoteOf(desk: ActingCompany, terms: Terms): Told {
  const money = { currency: terms.currency, amount: terms.quote.amount }
  requirePayable(desk.context, money)
  if (terms.type !== 'change') requireNotTooSmall(desk.context, money)
  return quoteOf(desk, terms)
}

/** What a change comes to and nobody can pay because it is so little: it is not charged. Null: nothing. */
export const waivedAmountOf = ({ context: { app } }: ActingCompany, { type, currency, quote }: Terms) =>
  type === 'change' && isBelowPayable(app.payments.types, currency, quote.amount) ? writeAmount(quote.amount) : null

interface Shown {
  quote_id?: string | undefined
  price_id?: number | undefined
  amount?: string | undefined
}

/** Throws QUOTE_CHANGED with both figures where the price is no longer the one that was shown, and as a quote does. */
export function requireShown(desk: ActingCompany, terms: Terms, { quote_id: id, price_id, amount }: Shown): void {
  const now = payableQuoteOf(desk, terms)
  const isSame =
    id === undefined
      ? (price_id ?? now.price_id) === now.price_id && (amount === undefined || isEqual(amount, now.amount))
      : id === now.quote_id
  if (isSame) return
  const shown = (id === undefined ? null : shownBy(id)) ?? { amount: amount ?? null, price_id: price_id ?? null }
  throw new ProblemError('QUOTE_CHANGED', { shown, now })
}

const isEqual = (a: string, b: string) => readAmount(a) === readAmount(b)
