import { getSettings } from '#contract/accounts.ts'
import { type Currency, readAmount } from '#domain/money.ts'
import { type PayableFault, payableFault } from '#domain/payments.ts'
import { readAged } from '#local/lists/responses.ts'
import { useSignedIn } from '#state/hooks.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'

/** What is to be said of an amount before it is ordered, by the methods that are set up here; null: nothing, or not known yet. */
export function usePayableFault(
  figure: { currency: Currency; amount: string } | null | undefined,
  { waives }: { waives: boolean },
): PayableFault | null {
  const { caller } = useSignedIn()
  const { response } = useCachedResponse(readAged, getSettings, {})
  if (!figure || !response) return null
  const { currency, amount } = figure
  return payableFault(response.output.payment.types, { currency, amount: readAmount(amount), waives }, caller)
}
