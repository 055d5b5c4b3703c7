import { type Currency, readAmount } from '#domain/money.ts'
import { type PayableFault, findPayableFault } from '#domain/payments.ts'
import { useSettings } from '#patterns/useSettings.ts'
import { useSignedInSession } from '#state/use-store.ts'

/** Checks an amount against this installation's payment methods. Returns null if the amount is payable, or if that is not known yet. */
export function usePayableFault(
  figure: { currency: Currency; amount: string } | null | undefined,
  { isWaivable }: { isWaivable: boolean },
): PayableFault | null {
  const { caller } = useSignedInSession()
  const settings = useSettings()
  if (!figure || !settings) return null
  const { currency, amount } = figure
  return findPayableFault(settings.payment.types, { currency, amount: readAmount(amount), isWaivable }, caller)
}
