import '#ui/display/amount.css'
import { type Currency, grouped } from '#domain/money.ts'

interface Props {
  currency: Currency
  amount: string
}

export const amountText = (currency: Currency, amount: string) => `${currency} ${grouped(amount)}`

/** `HKD 42,000.00`: never broken over two lines, in figures that stand under each other (M54). */
export const Amount = ({ currency, amount }: Props) => <span className="amount">{amountText(currency, amount)}</span>
