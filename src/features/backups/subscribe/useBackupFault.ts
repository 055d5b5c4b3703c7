import { getSettings } from '#contract/accounts.ts'
import { type Currency, readAmount } from '#domain/money.ts'
import { type PayableFault, findPayableFault } from '#domain/payments.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useRecord } from '#state/use-record.ts'

/** Why the amount of a subscription cannot be paid, or is waived; null: neither, or not known yet. */
export function useBackupFault(currency: Currency, amount: string | null): PayableFault | null {
  const { caller } = useSignedInSession()
  const { record: settings } = useRecord(getSettings, {})
  if (amount === null || !settings) return null
  const { types } = settings.payment
  return findPayableFault(types, { currency, amount: readAmount(amount), isWaivable: true }, caller)
}
