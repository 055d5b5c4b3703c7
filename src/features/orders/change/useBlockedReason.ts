import { useConnection } from '#state/hooks.ts'
import { useTranslation } from 'react-i18next'

/** Why nothing can be ordered by this form now; null: it can. `wrong`: what its fields or its contract say against it. */
export function useWhyNot(wrong: string | null): string | null {
  const { t } = useTranslation('contract')
  const { t: ui } = useTranslation('ui')
  const { line, lapsed } = useConnection()
  if (lapsed) return ui('form.lapsed')
  return wrong ?? (line === 'online' ? null : t('needsLine'))
}
