import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'

/** `formReason` is the reason why the form cannot be sent as it is, or null. */
export function useOrderButton(formReason: string | null, start: () => void) {
  const { t } = useTranslation('contract')
  const disabledReason = useUnsendableReason(t('needsLine'), formReason)
  return {
    disabledReason,
    onSubmit(event: FormEvent) {
      event.preventDefault()
      if (!disabledReason) start()
    },
  }
}
