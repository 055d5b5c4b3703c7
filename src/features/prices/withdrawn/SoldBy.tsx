import type { PriceRow } from '#contract/prices.ts'
import { useTranslation } from 'react-i18next'
import { usePriceListUses, formatPriceListUses } from '#features/prices/withdrawn/usePriceListUses.ts'

export function SoldBy({ row }: { row: PriceRow }) {
  const { t } = useTranslation('prices')
  const uses = usePriceListUses(row.type)
  if (!uses || typeof row.id !== 'number') return null
  return <span>{formatPriceListUses(t, uses.get(row.id)).join(' · ')}</span>
}
