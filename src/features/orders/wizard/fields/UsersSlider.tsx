import type { PriceRange } from '#domain/fees/price-list.ts'
import { groupThousands, writeAmount } from '#domain/money.ts'
import { userLimits } from '#domain/orders.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'

interface Props {
  value: number
  min: number
  max: number
  tiers: readonly PriceRange[]
  onChange: (users: string) => void
}

/** The slider has a mark wherever the price per user changes. The number may exceed the slider's maximum. */
export function UsersSlider({ value, min, max, tiers, onChange }: Props) {
  const { t } = useTranslation('wizard')
  return (
    <div className="users-slider">
      <input
        type="range"
        className="users-range"
        aria-label={t('field.usersRange')}
        min={min}
        max={max}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <svg className="users-marks" aria-hidden="true">
        {tiers
          .filter(({ from }) => from > min && from <= max)
          .map(({ from }) => {
            const position = `${(100 * (from - min)) / (max - min)}%`
            return <line key={from} x1={position} x2={position} y1="0" y2="8" />
          })}
      </svg>
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
