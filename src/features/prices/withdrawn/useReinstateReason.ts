import type { PriceRow } from '#contract/prices.ts'
import { useTranslation } from 'react-i18next'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { getReinstateBlockReason } from '#features/prices/price-list-state.ts'

export function useReinstateReason(lists: readonly PriceRow[] | undefined, today: string) {
  const { t } = useTranslation('prices')
  const unsendableReason = useUnsendableReason(t('needsConnection'))
  return (row: PriceRow): string | null => unsendableReason ?? getReinstateBlockReason(t, row, lists ?? [], today)
}
