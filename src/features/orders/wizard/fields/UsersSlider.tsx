import type { CSSProperties } from 'react'
import type { PriceRange } from '#domain/fees/price-list.ts'
import { type Currency, groupThousands, writeAmount } from '#domain/money.ts'
import { userLimits } from '#domain/orders.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'

interface Props {
  value: number
  currency: Currency
  min: number
  max: number
  tiers: readonly PriceRange[]
  onChange: (users: string) => void
}

/** The list below the slider marks the range whose price per user applies. The number may exceed the slider's maximum. */
export function UsersSlider({ value, currency, min, max, tiers, onChange }: Props) {
  const { t } = useTranslation('wizard')
  const filled = Math.min(1, Math.max(0, (value - min) / Math.max(1, max - min)))
  return (
    <div className="users-slider">
      <input
        type="range"
        className="users-range"
        style={{ '--filled': filled } as CSSProperties}
        aria-label={t('field.usersRange')}
        min={min}
        max={max}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <p className="field-help">{t('tiers.unit', { currency })}</p>
      <dl className="users-tiers" aria-label={t('tiers.label')}>
        {tiers.map(({ from, to, price }) => (
          <div key={from} aria-current={(value >= from && value <= to) || undefined}>
            <dt>
              {to >= userLimits.max
                ? t('tiers.from', { from: formatNumber(from) })
                : `${formatNumber(from)}–${formatNumber(to)}`}
            </dt>
            <dd>{groupThousands(writeAmount(price))}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
