import type { Ref } from 'react'
import '#ui/amount.css'
import { type Currency, grouped } from '#domain/money.ts'

interface Props {
  currency: Currency
  amount: string
  ref?: Ref<HTMLSpanElement>
}

export const amountText = (currency: Currency, amount: string) => `${currency} ${grouped(amount)}`

/**
 * `HKD 42,000.00`: never broken over two lines, in figures that stand under each other (M54). One text, so that whoever has
 * `ref` may write another one until it is drawn again.
 */
export const Amount = ({ currency, amount, ref }: Props) => (
  <span className="amount" ref={ref}>
    {amountText(currency, amount)}
  </span>
)
