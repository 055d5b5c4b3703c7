import { groupThousands, writeAmount } from '#domain/money.ts'
import type { PayableFault } from '#domain/payments.ts'
import { i18n } from '#ui/i18n/messages.ts'

export function formatPayableFault({ kind, currency, amount, limit }: PayableFault): string {
  const formatWithCurrency = (value: bigint) => `${currency} ${groupThousands(writeAmount(value))}`
  return i18n.t(`payable.${kind}`, { ns: 'ui', amount: formatWithCurrency(amount), limit: formatWithCurrency(limit) })
}

export const isNotPayable = (fault: PayableFault | null): fault is PayableFault =>
  fault?.kind === 'tooLarge' || fault?.kind === 'tooSmall'
