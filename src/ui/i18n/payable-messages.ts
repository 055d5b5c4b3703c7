/** Messages about amounts that a method of payment does not take. */
import { grouped, writeAmount } from '#domain/money.ts'
import type { PayableFault } from '#domain/payments.ts'
import { i18n } from '#ui/i18n/i18n.ts'

export const payableWords = ({ kind, currency, limit }: PayableFault): string =>
  i18n.t(`payable.${kind}`, { ns: 'ui', limit: `${currency} ${grouped(writeAmount(limit))}` })

/** Nothing can be ordered for such an amount. */
export const isNotPayable = (fault: PayableFault | null): fault is PayableFault =>
  fault?.kind === 'tooLarge' || fault?.kind === 'tooSmall'
