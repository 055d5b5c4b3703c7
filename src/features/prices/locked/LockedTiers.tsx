import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { groupDigits } from '#domain/money.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { PriceFigures } from '#features/prices/locked/PriceFigures.tsx'
import { getRangeStarts, type RangeRow, type TierTableName } from '#features/prices/price-list-form.ts'

export const LockedTiers = memo(function LockedTiers({
  name,
  rows,
}: {
  name: TierTableName
  rows: readonly RangeRow[]
}) {
  const { t } = useTranslation('prices')
  const starts = getRangeStarts(rows)
  if (rows.length === 0) return <p className="price-sub">{t('locked.noRanges')}</p>
  return (
    <PriceFigures
      name={t(`section.${name}`)}
      header={t('locked.users')}
      rows={rows.map((row, index) => ({
        key: row.key,
        label: formatRange(starts[index] ?? 0, row.to),
        prices: row,
      }))}
    />
  )
})

const formatRange = (from: number, to: string) =>
  String(from) === to ? groupDigits(to) : `${formatNumber(from)}–${groupDigits(to)}`
