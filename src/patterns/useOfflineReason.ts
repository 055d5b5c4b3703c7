import { useConnection } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

/** `text` without a connection, else null: why something that needs the server cannot be done now. */
export const useOfflineReason = (text: string): string | null =>
  useConnection().networkState === 'online' ? null : text

/**
 * Why a call that never waits in the outbox cannot be sent now: the session has expired, the form cannot be sent (`formReason`), or there is
 * no connection (D89). Null: it can be sent.
 */
export function useUnsendableReason(offlineText: string, formReason: string | null = null): string | null {
  const { t } = useTranslation('ui')
  const offlineReason = useOfflineReason(offlineText)
  return useConnection().isSessionExpired ? t('form.lapsed') : (formReason ?? offlineReason)
}
