import { type Currency, grouped, readAmount, writeAmount } from '#domain/money.ts'
import { useTranslation } from 'react-i18next'

/** Null: it has no price. */
export interface AmountChange {
  from: string | null
  to: string | null
}

/** `+18,000.00` and `−18,000.00`: with the sign of subtraction, which is as wide as a plus. */
export const signed = (amount: string): string =>
  amount.startsWith('-') ? `−${grouped(amount.slice(1))}` : `+${grouped(amount)}`

/** `HKD 42,000.00 → HKD 60,000.00 (+18,000.00)`, read out in words. */
export function Difference({ currency, change: { from, to } }: { currency: Currency; change: AmountChange }) {
  const { t } = useTranslation('wizard')
  if (from === null || to === null) return null
  const by = readAmount(to) - readAmount(from)
  if (by === 0n)
    return <span className="difference">{t('difference.none', { amount: `${currency} ${grouped(to)}` })}</span>
  const said = { from: `${currency} ${grouped(from)}`, to: `${currency} ${grouped(to)}` }
  return (
    <span className={`difference ${by > 0n ? 'more' : 'less'}`}>
      {t('difference.change', { ...said, by: signed(writeAmount(by)) })}
    </span>
  )
}
