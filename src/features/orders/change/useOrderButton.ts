import type { FormEvent } from 'react'
import { useConnection } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

/** The button that orders: why it is disabled, and what its form does. `formReason`: why the form cannot be sent as it is. */
export function useOrderButton(formReason: string | null, start: () => void) {
  const { t } = useTranslation('contract')
  const { t: tUi } = useTranslation('ui')
  const { networkState: connection, isSessionExpired } = useConnection()
  const offlineReason = connection === 'online' ? null : t('needsLine')
  const disabledReason = isSessionExpired ? tUi('form.lapsed') : (formReason ?? offlineReason)
  return {
    disabledReason,
    onSubmit(event: FormEvent) {
      event.preventDefault()
      if (!disabledReason) start()
    },
  }
}
