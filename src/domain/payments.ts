/** Ways of paying, who may use which (D66, Z-20, Z-21), and the amounts that each takes. */
import { type Caller, isProvider, isProviderAdmin } from '#domain/access.ts'
import type { Currency, Hundredths } from '#domain/money.ts'

export const paymentTypes = ['stripe', 'alipay', 'globalAlipay', 'simulate'] as const
export type PaymentType = (typeof paymentTypes)[number]

/** The mainland's gateway takes RMB, the one across borders the rest. */
const getAlipayType = (currency: Currency): 'alipay' | 'globalAlipay' =>
  currency === 'RMB' ? 'alipay' : 'globalAlipay'

/** `currency`: it is never paid this way, whoever asks. */
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

/** Eight digits of the smallest unit. */
const cardMax = 99_999_999n

/**
 * Of one payment, as the gateways document it. Stripe's minimum is that of the settlement currency; it names none for CNY, and 4.00
 * is always more than the HKD 4.00 or USD 0.50 that it is converted to.
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

/** Null: this method takes any amount. */
export const getAmountLimits = (type: PaymentType, currency: Currency): AmountLimits | null =>
  gatewayLimits[type]?.[currency] ?? null

/** Why a method cannot take this amount; null: it can. */
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

/** Of the methods that are set up, those by which this caller pays this currency. */
const findPaymentTypes = (types: readonly string[], currency: Currency, caller: Caller): PaymentType[] =>
  paymentTypes.filter((type) => types.includes(type) && getPaymentTypeRefusal(type, currency, caller) === null)

/** The least that a customer can pay here; what is less is waived or carried over. Zero where nothing can be paid at all. */
export function getSmallestPayable(types: readonly string[], currency: Currency): Hundredths {
  const minima = findPaymentTypes(types, currency, customer).map((type) => getAmountLimits(type, currency)?.min ?? 0n)
  return minima.reduce((min, minimum) => (minimum < min ? minimum : min), minima[0] ?? 0n)
}

/** The most that this caller can pay here at once; null: there is no limit, or nothing can be paid here at all. */
export function getLargestPayable(types: readonly string[], currency: Currency, caller: Caller): Hundredths | null {
  const maxima = findPaymentTypes(types, currency, caller).map((type) => getAmountLimits(type, currency)?.max ?? null)
  return maxima.reduce(
    (max, maximum) => (max === null || maximum === null ? null : maximum > max ? maximum : max),
    maxima[0] ?? null,
  )
}

/** Whether an amount is due that nobody can pay because it is too small. */
export function isBelowPayable(types: readonly string[], currency: Currency, amount: Hundredths): boolean {
  return amount > 0n && amount < getSmallestPayable(types, currency)
}

/** What is to be said of an amount before it is ordered. `noCard`: only another method takes it. */
export interface PayableFault {
  kind: 'waived' | 'tooSmall' | 'tooLarge' | 'noCard'
  currency: Currency
  amount: Hundredths
  limit: Hundredths
}

/** `isWaivable`: amounts of this kind that are too small are not charged. Null: it can be paid by any method. */
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
