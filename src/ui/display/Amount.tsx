import '#ui/display/amount.css'
import { type Currency, groupThousands } from '#domain/money.ts'

interface Props {
  currency: Currency
  amount: string
}

export const formatAmount = (currency: Currency, amount: string) => `${currency} ${groupThousands(amount)}`

/** Displays `HKD 42,000.00`, without line breaks and with digits of equal width (M54). */
export const Amount = ({ currency, amount }: Props) => <span className="amount">{formatAmount(currency, amount)}</span>

/** Formats "+1,200.00", "−30.00", "0.00". Uses the minus sign, which is as wide as the plus sign. */
export function formatSigned(amount: string): string {
  if (amount.startsWith('-')) return `−${groupThousands(amount.slice(1))}`
  return Number(amount) === 0 ? amount : `+${groupThousands(amount)}`
}
