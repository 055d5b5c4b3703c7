/** Messages about amounts that a method of payment does not take. */
import { grouped, writeAmount } from '#domain/money.ts'
import type { PayableFault } from '#domain/payments.ts'
import { i18n } from '#ui/i18n/i18n.ts'

export function payableWords({ kind, currency, amount, limit }: PayableFault): string {
  const words = (value: bigint) => `${currency} ${grouped(writeAmount(value))}`
  return i18n.t(`payable.${kind}`, { ns: 'ui', amount: words(amount), limit: words(limit) })
}

/** Nothing can be ordered for such an amount. */
export const isNotPayable = (fault: PayableFault | null): fault is PayableFault =>
  fault?.kind === 'tooLarge' || fault?.kind === 'tooSmall'
