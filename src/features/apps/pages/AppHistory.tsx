import { PlainPage } from '#ui/page/ComingSoonPage.tsx'
import { useTranslation } from 'react-i18next'

export function AppHistory() {
  const { t } = useTranslation('plain')
  return (
    <PlainPage
      icon="history"
      title={t('appHistory.title')}
      lead={t('appHistory.lead')}
      points={[t('appHistory.one'), t('appHistory.two'), t('appHistory.three')]}
    />
  )
}
