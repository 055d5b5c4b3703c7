import { useConnection } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

/** Returns `text` as the reason why an action is disabled while there is no connection, otherwise null. */
export const useOfflineReason = (text: string): string | null =>
  useConnection().networkState === 'online' ? null : text

/**
 * Returns why a call that is never queued cannot be sent: the session has expired, the form is invalid (`formReason`), or there is no
 * connection (D89). Otherwise null.
 */
export function useUnsendableReason(offlineText: string, formReason: string | null = null): string | null {
  const { t } = useTranslation('ui')
  const offlineReason = useOfflineReason(offlineText)
  return useConnection().isSessionExpired ? t('form.lapsed') : (formReason ?? offlineReason)
}
