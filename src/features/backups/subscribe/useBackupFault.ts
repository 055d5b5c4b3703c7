import { getSettings } from '#contract/accounts.ts'
import { type Currency, readAmount } from '#domain/money.ts'
import { type PayableFault, findPayableFault } from '#domain/payments.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'

/** What is to be said of what a subscription costs before it is ordered; null: nothing, or not known yet. */
export function useBackupFault(currency: Currency, amount: string | null): PayableFault | null {
  const { caller } = useSignedInSession()
  const { response } = useCachedResponse(readAgedResponse, getSettings, {})
  if (amount === null || !response) return null
  const { types } = response.output.payment
  return findPayableFault(types, { currency, amount: readAmount(amount), isWaivable: true }, caller)
}
