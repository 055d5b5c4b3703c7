import type { ClientType } from '#domain/access.ts'
import { useSelector } from '#state/use-store.ts'
import { useReadOnlyReason } from '#patterns/useOfflineReason.ts'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { selectPriceStatus } from '#features/orders/slice.ts'

/** Returns why nothing can be ordered now, or null. `hasPriceList`: whether the list in force is on the device. */
export function useOrderBlockedReason(type: ClientType, hasPriceList: boolean): string | null {
  const { t } = useTranslation('orders')
  const readOnlyReason = useReadOnlyReason()
  const priceStatus = useSelector((state) => selectPriceStatus(state, type))
  if (readOnlyReason) return readOnlyReason
  if (hasPriceList) return null
  if (priceStatus?.kind !== 'failed') return t('price.sending')
  const { problem } = priceStatus
  if (problem.code === 'OFFLINE') return t('price.offline')
  return problem.code === 'NOT_FOUND' ? t('price.none') : t('price.failed', { reason: formatProblem(problem) })
}
