/** Credit balances and bank transfers (decision 124). */
import { type Currency, getLarger, type Hundredths } from '#domain/money.ts'
import { getAmountLimits, type PaymentType } from '#domain/payments.ts'

/**
 * `transfer`: money that arrived at the bank. `correction`: such money was credited to the wrong company. `creditNote`: an invoice was refunded
 * to the balance. `contract`: a smaller contract left a rest. `payment`: credit paid for something. `withdrawal`: it was sent back by transfer.
 */
export const creditCauses = ['transfer', 'correction', 'creditNote', 'contract', 'payment', 'withdrawal'] as const
export type CreditCause = (typeof creditCauses)[number]

/**
 * `open`: nobody knows yet whose money it is. `credited`: it was added to a company's balance. `returned`: it was sent back to its sender.
 * `dismissed`: it is not a customer's payment. `corrected`: it was credited by mistake, and taken from the balance again.
 */
export const transferStates = ['open', 'credited', 'returned', 'dismissed', 'corrected'] as const
export type TransferState = (typeof transferStates)[number]

/**
 * Returns the part of an amount that credit pays. Credit is used first. If the rest would be too small for the payment method, less credit is
 * used, so that the rest is the smallest amount that the method accepts. `type` is null for a bank transfer, which has no smallest amount.
 */
export function getCreditPart(
  { amount, available }: { amount: Hundredths; available: Hundredths },
  { type, currency }: { type: PaymentType | null; currency: Currency },
): Hundredths {
  if (available >= amount) return amount
  const min = type === null ? 0n : (getAmountLimits(type, currency)?.min ?? 0n)
  return amount - available < min ? getLarger(amount - min, 0n) : getLarger(available, 0n)
}
