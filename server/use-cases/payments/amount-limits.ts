/** Checks before an order whether its amount can be paid. An amount that is too small is refused or waived. */
import { type Currency, groupThousands, type Hundredths, writeAmount } from '#domain/money.ts'
import {
  getAmountLimits,
  isBelowPayable,
  getLargestPayable,
  type PaymentType,
  getSmallestPayable,
  getAmountRefusal,
} from '#domain/payments.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

interface MoneyAmount {
  currency: Currency
  amount: Hundredths
}

const formatMoney = (currency: Currency, amount: Hundredths) => `${currency} ${groupThousands(writeAmount(amount))}`

const createLimitError = (
  code: 'AMOUNT_TOO_SMALL' | 'AMOUNT_TOO_LARGE',
  { currency, amount }: MoneyAmount,
  limit: Hundredths,
) => new ProblemError(code, { amount: formatMoney(currency, amount), limit: formatMoney(currency, limit) })

type LimitContext = Pick<UseCaseContext, 'app' | 'caller'>

/** Throws AMOUNT_TOO_LARGE if the caller has no payment method for the amount. */
export function requirePayableAmount({ app, caller }: LimitContext, money: MoneyAmount): void {
  const maxAmount = getLargestPayable(app.payments.types, money.currency, caller)
  if (maxAmount !== null && money.amount > maxAmount) throw createLimitError('AMOUNT_TOO_LARGE', money, maxAmount)
}

/** Throws AMOUNT_TOO_SMALL if customers have no payment method for so small an amount. */
export function requireNotTooSmall({ app }: Pick<LimitContext, 'app'>, money: MoneyAmount): void {
  if (isBelowPayable(app.payments.types, money.currency, money.amount)) throw createTooSmallError({ app }, money)
}

export const createTooSmallError = ({ app }: Pick<LimitContext, 'app'>, money: MoneyAmount): ProblemError =>
  createLimitError('AMOUNT_TOO_SMALL', money, getSmallestPayable(app.payments.types, money.currency))

export function requireAcceptedAmount(type: PaymentType, money: MoneyAmount): void {
  const reason = getAmountRefusal(type, money.currency, money.amount)
  if (reason) throw createAmountError(type, money, reason)
}

export function createAmountError(
  type: PaymentType,
  money: MoneyAmount,
  reason: 'tooSmall' | 'tooLarge',
): ProblemError {
  const limits = getAmountLimits(type, money.currency) ?? { min: money.amount, max: money.amount }
  return reason === 'tooSmall'
    ? createLimitError('AMOUNT_TOO_SMALL', money, limits.min)
    : createLimitError('AMOUNT_TOO_LARGE', money, limits.max)
}
