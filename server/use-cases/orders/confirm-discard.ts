import { readAmount, writeAmount } from '#domain/money.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { splitUnusedAmount } from '#server/use-cases/orders/contract-credit.ts'
import type { OrderTerms } from '#server/use-cases/orders/order-terms.ts'

/** If the change discards money, throws DISCARD_CONFIRM with the amount unless the order confirms exactly this amount (D14). */
export function requireDiscardConfirmed(terms: OrderTerms, confirmedAmount: string | undefined): void {
  const { discarded: discardedAmount } = splitUnusedAmount(terms)
  if (discardedAmount === 0n || (confirmedAmount !== undefined && readAmount(confirmedAmount) === discardedAmount))
    return
  throw new ProblemError('DISCARD_CONFIRM', {
    discarded_amount: writeAmount(discardedAmount),
    currency: terms.quote.currency,
  })
}
