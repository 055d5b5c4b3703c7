import { useConnection } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

/** Returns why nothing can be paid without a connection, said once for all buttons of a list, otherwise null. `hasItems`: there is something to pay. */
export function usePayOfflineText(hasItems: boolean): string | null {
  const { t } = useTranslation('orders')
  const isOnline = useConnection().networkState === 'online'
  return isOnline || !hasItems ? null : t('reason.payOffline')
}
