import '#ui/amount.css'
import { type Currency, grouped } from '#domain/money.ts'

/** `HKD 42,000.00`: never broken over two lines, in figures that stand under each other (M54). */
export function Amount({ currency, amount }: { currency: Currency; amount: string }) {
  return (
    <span className="amount">
      {currency} {grouped(amount)}
    </span>
  )
}
