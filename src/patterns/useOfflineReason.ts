import { useConnection, useIsActing } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

/** Returns why nothing can be changed or exported while the user acts for a customer, otherwise null (decision 111). */
export function useActingReason(): string | null {
  const { t } = useTranslation('ui')
  return useIsActing() ? t('form.acting') : null
}

/** Returns why nothing can be changed, with or without a connection: the session has expired, or the user acts for a customer. */
export function useReadOnlyReason(): string | null {
  const { t } = useTranslation('ui')
  const actingReason = useActingReason()
  return useConnection().isSessionExpired ? t('form.lapsed') : actingReason
}

/** Returns `text` as the reason why an action is disabled while there is no connection, otherwise null. */
export function useOfflineReason(text: string): string | null {
  const isOnline = useConnection().networkState === 'online'
  return useActingReason() ?? (isOnline ? null : text)
}

/**
 * Returns why a call that is never queued cannot be sent: nothing can be changed, the form is invalid (`formReason`), or there is no
 * connection (D89). Otherwise null.
 */
export function useUnsendableReason(offlineText: string, formReason: string | null = null): string | null {
  const offlineReason = useOfflineReason(offlineText)
  return useReadOnlyReason() ?? formReason ?? offlineReason
}
