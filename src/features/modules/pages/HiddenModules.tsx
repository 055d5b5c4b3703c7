import { PlainPage } from '#ui/page/ComingSoonPage.tsx'
import { useTranslation } from 'react-i18next'

export function HiddenModules() {
  const { t } = useTranslation('plain')
  return (
    <PlainPage
      icon="hidden"
      title={t('hiddenModules.title')}
      lead={t('hiddenModules.lead')}
      points={[t('hiddenModules.one'), t('hiddenModules.two'), t('hiddenModules.three')]}
    />
  )
}
