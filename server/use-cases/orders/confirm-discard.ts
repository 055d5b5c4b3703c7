import { readAmount, writeAmount } from '#domain/money.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { splitUnusedAmount } from '#server/use-cases/credit/contract-credit.ts'
import type { OrderTerms } from '#server/use-cases/orders/order-terms.ts'

/** If the change discards money, throws DISCARD_CONFIRM with the amount unless the order confirms exactly this amount (D14). */
export function requireDiscardConfirmed(
  { app }: UseCaseContext,
  { quote }: OrderTerms,
  confirmedAmount: string | undefined,
): void {
  const { discarded: discardedAmount } = splitUnusedAmount(app, quote)
  if (discardedAmount === 0n || (confirmedAmount !== undefined && readAmount(confirmedAmount) === discardedAmount))
    return
  throw new ProblemError('DISCARD_CONFIRM', {
    discarded_amount: writeAmount(discardedAmount),
    currency: quote.currency,
  })
}
