import { PlainPage } from '#ui/page/ComingSoonPage.tsx'
import { useTranslation } from 'react-i18next'

export function HiddenModule() {
  const { t } = useTranslation('plain')
  return (
    <PlainPage
      icon="hidden"
      title={t('hiddenModule.title')}
      crumbs={[{ label: t('hiddenModules.title'), to: '/app/m18/automodule' }]}
      lead={t('hiddenModule.lead')}
      points={[t('hiddenModule.one'), t('hiddenModule.two'), t('hiddenModule.three')]}
    />
  )
}
