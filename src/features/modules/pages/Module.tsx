import { PlainPage } from '#ui/page/ComingSoonPage.tsx'
import { useTranslation } from 'react-i18next'

export function Module() {
  const { t } = useTranslation('plain')
  return (
    <PlainPage
      icon="module"
      title={t('module.title')}
      crumbs={[{ label: t('modules.title'), to: '/app/m18/module' }]}
      lead={t('module.lead')}
      points={[t('module.one'), t('module.two'), t('module.three')]}
    />
  )
}
