import { getSettings } from '#contract/accounts.ts'
import { type Currency, readAmount } from '#domain/money.ts'
import { type PayableFault, findPayableFault } from '#domain/payments.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'

/** What is to be said of an amount before it is ordered, by the methods that are set up here; null: nothing, or not known yet. */
export function usePayableFault(
  figure: { currency: Currency; amount: string } | null | undefined,
  { isWaivable }: { isWaivable: boolean },
): PayableFault | null {
  const { caller } = useSignedInSession()
  const { response } = useCachedResponse(readAgedResponse, getSettings, {})
  if (!figure || !response) return null
  const { currency, amount } = figure
  return findPayableFault(response.output.payment.types, { currency, amount: readAmount(amount), isWaivable }, caller)
}
