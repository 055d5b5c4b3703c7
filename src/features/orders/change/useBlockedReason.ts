import { useConnection } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

/** Why nothing can be ordered by this form now; null: it can. `formReason`: what its fields or its contract say against it. */
export function useBlockedReason(formReason: string | null): string | null {
  const { t } = useTranslation('contract')
  const { t: tUi } = useTranslation('ui')
  const { networkState: connection, isSessionExpired } = useConnection()
  if (isSessionExpired) return tUi('form.lapsed')
  return formReason ?? (connection === 'online' ? null : t('needsLine'))
}
