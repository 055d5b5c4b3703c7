import type { ActingChange } from '#contract/staff/acting-changes.ts'
import { useActingBlock, useConnection, useIsActing } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

/** Returns why no file of the customer's data can be saved while the user acts for it, otherwise null (decisions 111 and 116). */
export function useNoFileReason(): string | null {
  const { t } = useTranslation('ui')
  return useIsActing() ? t('form.actingFile') : null
}

function useActingReason(call: ActingChange | undefined): string | null {
  const { t } = useTranslation('ui')
  const block = useActingBlock(call)
  return block && t(block)
}

/**
 * Returns why nothing can be changed, with or without a connection: the session has expired, or the user acts for a customer. `call`: the
 * write, if a consent may allow it.
 */
export function useReadOnlyReason(call?: ActingChange): string | null {
  const { t } = useTranslation('ui')
  const actingReason = useActingReason(call)
  return useConnection().isSessionExpired ? t('form.lapsed') : actingReason
}

/** Returns `text` as the reason why an action is disabled while there is no connection, otherwise null. */
export function useOfflineReason(text: string, call?: ActingChange): string | null {
  const isOnline = useConnection().networkState === 'online'
  return useActingReason(call) ?? (isOnline ? null : text)
}

/**
 * Returns why a call that is never queued cannot be sent: nothing can be changed, the form is invalid (`formReason`), or there is no
 * connection (D89). Otherwise null.
 */
export function useUnsendableReason(
  offlineText: string,
  formReason: string | null = null,
  call?: ActingChange,
): string | null {
  const offlineReason = useOfflineReason(offlineText, call)
  return useReadOnlyReason(call) ?? formReason ?? offlineReason
}
