import type { PriceRow } from '#contract/prices.ts'
import { useConnection } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'
import { getReinstateBlockReason } from '#features/prices/price-list-state.ts'

/** Why a withdrawn list cannot be reinstated now, in words; null: it can. */
export function useReinstateReason(lists: readonly PriceRow[] | undefined, today: string) {
  const { t } = useTranslation('prices')
  const { t: tUi } = useTranslation('ui')
  const { isSessionExpired, networkState: connection } = useConnection()
  return (row: PriceRow): string | null => {
    if (isSessionExpired) return tUi('form.lapsed')
    return connection === 'online' ? getReinstateBlockReason(t, row, lists ?? [], today) : t('needsConnection')
  }
}
