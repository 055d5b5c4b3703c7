/** Payment methods, who may use them (D66, Z-20, Z-21), and their amount limits. */
import { type Caller, isProvider, isProviderAdmin } from '#domain/access.ts'
import type { Currency, Hundredths } from '#domain/money.ts'

export const paymentTypes = ['stripe', 'alipay', 'globalAlipay', 'simulate'] as const
export type PaymentType = (typeof paymentTypes)[number]

/** Maximum of items in one payment, because each has its own invoice, receipt and entry in the trail (decision 110). */
export const maxPaidItems = 50

/** Maximum length of the payer's purchase order number, which is printed on the invoice. */
export const poNumberLimit = 40

/** Alipay of mainland China takes RMB, cross-border Alipay takes other currencies. */
const getAlipayType = (currency: Currency): 'alipay' | 'globalAlipay' =>
  currency === 'RMB' ? 'alipay' : 'globalAlipay'

/** `currency`: the method does not support the currency for any caller. */
export function getPaymentTypeRefusal(
  type: PaymentType,
  currency: Currency,
  caller: Caller,
): 'currency' | 'staff' | null {
  if (type === 'stripe') return null
  if (type === 'simulate') return isProviderAdmin(caller) ? null : 'staff'
  if (type !== getAlipayType(currency)) return 'currency'
  return type === 'alipay' || isProvider(caller) ? null : 'staff'
}

interface AmountLimits {
  min: Hundredths
  max: Hundredths
}

/** Maximum card payment in hundredths: Stripe allows eight digits in the smallest unit. */
const cardMax = 99_999_999n

/**
 * Limits per payment from the gateways' documentation. Stripe's minimum is that of the settlement currency. Stripe has no minimum for CNY;
 * CNY 4.00 is used, which always exceeds the minimum after conversion (HKD 4.00 or USD 0.50).
 */
const gatewayLimits: Partial<Record<PaymentType, Partial<Record<Currency, AmountLimits>>>> = {
  stripe: {
    HKD: { min: 400n, max: cardMax },
    USD: { min: 50n, max: cardMax },
    RMB: { min: 400n, max: cardMax },
  },
  alipay: { RMB: { min: 1n, max: 10_000_000_000n } },
  globalAlipay: { HKD: { min: 1n, max: 100_000_000n }, USD: { min: 1n, max: 100_000_000n } },
}

export const getAmountLimits = (type: PaymentType, currency: Currency): AmountLimits | null =>
  gatewayLimits[type]?.[currency] ?? null

export function getAmountRefusal(
  type: PaymentType,
  currency: Currency,
  amount: Hundredths,
): 'tooSmall' | 'tooLarge' | null {
  const limits = getAmountLimits(type, currency)
  if (limits === null) return null
  if (amount < limits.min) return 'tooSmall'
  return amount > limits.max ? 'tooLarge' : null
}

const customer: Caller = { userId: 0, companyId: 0, companyCode: '', admin: false, order: true, accessLevel: 0 }

const findPaymentTypes = (types: readonly string[], currency: Currency, caller: Caller): PaymentType[] =>
  paymentTypes.filter((type) => types.includes(type) && getPaymentTypeRefusal(type, currency, caller) === null)

/** Smallest amount that customers can pay; less is waived or carried over. 0 if there is no method. */
export function getSmallestPayable(types: readonly string[], currency: Currency): Hundredths {
  const minima = findPaymentTypes(types, currency, customer).map((type) => getAmountLimits(type, currency)?.min ?? 0n)
  return minima.reduce((min, minimum) => (minimum < min ? minimum : min), minima[0] ?? 0n)
}

/** Returns the largest amount that this caller can pay in one payment. Returns null if there is no limit or no method is available. */
export function getLargestPayable(types: readonly string[], currency: Currency, caller: Caller): Hundredths | null {
  const maxima = findPaymentTypes(types, currency, caller).map((type) => getAmountLimits(type, currency)?.max ?? null)
  return maxima.reduce(
    (max, maximum) => (max === null || maximum === null ? null : maximum > max ? maximum : max),
    maxima[0] ?? null,
  )
}

export function isBelowPayable(types: readonly string[], currency: Currency, amount: Hundredths): boolean {
  return amount > 0n && amount < getSmallestPayable(types, currency)
}

/** Notice about an amount before it is ordered. `noCard`: the amount can only be paid by a method other than card. */
export interface PayableFault {
  kind: 'waived' | 'tooSmall' | 'tooLarge' | 'noCard'
  currency: Currency
  amount: Hundredths
  limit: Hundredths
}

/** `isWaivable`: amounts that are too small are not charged. Returns null if every method accepts the amount. */
export function findPayableFault(
  types: readonly string[],
  { currency, amount, isWaivable }: { currency: Currency; amount: Hundredths; isWaivable: boolean },
  caller: Caller,
): PayableFault | null {
  if (isBelowPayable(types, currency, amount))
    return { kind: isWaivable ? 'waived' : 'tooSmall', currency, amount, limit: getSmallestPayable(types, currency) }
  const maxPayable = getLargestPayable(types, currency, caller)
  if (maxPayable !== null && amount > maxPayable) return { kind: 'tooLarge', currency, amount, limit: maxPayable }
  const methods = findPaymentTypes(types, currency, caller)
  const isCardTooLarge = methods.includes('stripe') && getAmountRefusal('stripe', currency, amount) === 'tooLarge'
  return isCardTooLarge ? { kind: 'noCard', currency, amount, limit: cardMax } : null
}
