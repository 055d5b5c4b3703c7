import { useConnection } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

/** Why nothing that touches a running system can be asked for now; null: it can. It never goes by itself later (D89). */
export function useOfflineReason(): string | null {
  const { t } = useTranslation('services')
  const { t: tUi } = useTranslation('ui')
  const { networkState: connection, isSessionExpired } = useConnection()
  if (isSessionExpired) return tUi('form.lapsed')
  return connection === 'online' ? null : t('whyNot.offline')
}
