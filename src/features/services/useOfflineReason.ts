import { useConnection } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

/** Why a service cannot be changed now; null: it can. Such a call is never queued (D89). */
export function useOfflineReason(): string | null {
  const { t } = useTranslation('services')
  const { t: tUi } = useTranslation('ui')
  const { networkState: connection, isSessionExpired } = useConnection()
  if (isSessionExpired) return tUi('form.lapsed')
  return connection === 'online' ? null : t('whyNot.offline')
}
