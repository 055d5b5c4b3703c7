import { type Currency, groupThousands, readAmount, writeAmount } from '#domain/money.ts'
import { formatSigned } from '#ui/display/Amount.tsx'
import { useTranslation } from 'react-i18next'

/** An amount is null if the order cannot be priced. */
export interface PriceChange {
  from: string | null
  to: string | null
}

/** Shows `HKD 42,000.00 → HKD 60,000.00 (+18,000.00)`, with a full sentence for screen readers. */
export function AmountChange({ currency, change: { from, to } }: { currency: Currency; change: PriceChange }) {
  const { t } = useTranslation('wizard')
  if (from === null || to === null) return null
  const difference = readAmount(to) - readAmount(from)
  if (difference === 0n)
    return <span className="difference">{t('difference.none', { amount: `${currency} ${groupThousands(to)}` })}</span>
  const params = { from: `${currency} ${groupThousands(from)}`, to: `${currency} ${groupThousands(to)}` }
  return (
    <span className={`difference ${difference > 0n ? 'more' : 'less'}`}>
      {t('difference.change', { ...params, by: formatSigned(writeAmount(difference)) })}
    </span>
  )
}
