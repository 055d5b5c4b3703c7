import { useConnection } from '#state/hooks.ts'
import { useTranslation } from 'react-i18next'

/** Why nothing that touches a running system can be asked for now; null: it can. It never goes by itself later (D89). */
export function useWhyOffline(): string | null {
  const { t } = useTranslation('services')
  const { t: ui } = useTranslation('ui')
  const { line, lapsed } = useConnection()
  if (lapsed) return ui('form.lapsed')
  return line === 'online' ? null : t('whyNot.offline')
}
