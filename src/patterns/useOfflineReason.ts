import { useConnection, useIsActing } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

/** Returns why nothing can be changed, with or without a connection: the session has expired, or the user acts for a customer. */
export function useReadOnlyReason(): string | null {
  const { t } = useTranslation('ui')
  const isActing = useIsActing()
  return useConnection().isSessionExpired ? t('form.lapsed') : isActing ? t('form.acting') : null
}

/** Returns `text` as the reason why an action is disabled while there is no connection, otherwise null. */
export function useOfflineReason(text: string): string | null {
  const { t } = useTranslation('ui')
  const isOnline = useConnection().networkState === 'online'
  return useIsActing() ? t('form.acting') : isOnline ? null : text
}

/**
 * Returns why a call that is never queued cannot be sent: nothing can be changed, the form is invalid (`formReason`), or there is no
 * connection (D89). Otherwise null.
 */
export function useUnsendableReason(offlineText: string, formReason: string | null = null): string | null {
  const offlineReason = useOfflineReason(offlineText)
  return useReadOnlyReason() ?? formReason ?? offlineReason
}
