import { useConnection } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

/** Returns why nothing can be paid without a connection, said once for all buttons of a list, otherwise null. */
export function usePayOfflineText(): string | null {
  const { t } = useTranslation('orders')
  return useConnection().networkState === 'online' ? null : t('reason.payOffline')
}
