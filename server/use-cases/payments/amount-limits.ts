/** What can be paid here, before anything is ordered: amounts that no gateway takes are refused, or waived where they are too small. */
import { type Currency, grouped, type Hundredths, writeAmount } from '#domain/money.ts'
import {
  amountLimits,
  isBelowPayable,
  largestPayable,
  type PaymentType,
  smallestPayable,
  whyAmountNotTaken,
} from '#domain/payments.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

interface Money {
  currency: Currency
  amount: Hundredths
}

const said = (currency: Currency, amount: Hundredths) => `${currency} ${grouped(writeAmount(amount))}`

const refusal = (code: 'AMOUNT_TOO_SMALL' | 'AMOUNT_TOO_LARGE', { currency, amount }: Money, limit: Hundredths) =>
  new ProblemError(code, { amount: said(currency, amount), limit: said(currency, limit) })

type Context = Pick<UseCaseContext, 'app' | 'caller'>

/** Throws AMOUNT_TOO_LARGE where the caller has no way to pay so much at once. */
export function requirePayable({ app, caller }: Context, money: Money): void {
  const most = largestPayable(app.payments.types, money.currency, caller)
  if (most !== null && money.amount > most) throw refusal('AMOUNT_TOO_LARGE', money, most)
}

/** Throws AMOUNT_TOO_SMALL where customers have no way to pay so little. */
export function requireNotTooSmall({ app }: Pick<Context, 'app'>, money: Money): void {
  if (isBelowPayable(app.payments.types, money.currency, money.amount)) throw tooSmall({ app }, money)
}

export const tooSmall = ({ app }: Pick<Context, 'app'>, money: Money): ProblemError =>
  refusal('AMOUNT_TOO_SMALL', money, smallestPayable(app.payments.types, money.currency))

/** Throws AMOUNT_TOO_SMALL and AMOUNT_TOO_LARGE where this method does not take the amount. */
export function requireTaken(type: PaymentType, money: Money): void {
  const why = whyAmountNotTaken(type, money.currency, money.amount)
  if (why) throw notTaken(type, money, why)
}

export function notTaken(type: PaymentType, money: Money, why: 'tooSmall' | 'tooLarge'): ProblemError {
  const limits = amountLimits(type, money.currency) ?? { min: money.amount, max: money.amount }
  return why === 'tooSmall'
    ? refusal('AMOUNT_TOO_SMALL', money, limits.min)
    : refusal('AMOUNT_TOO_LARGE', money, limits.max)
}
