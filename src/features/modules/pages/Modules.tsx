import { PlainPage } from '#ui/page/ComingSoonPage.tsx'
import { useTranslation } from 'react-i18next'

export function Modules() {
  const { t } = useTranslation('plain')
  return (
    <PlainPage
      icon="module"
      title={t('modules.title')}
      lead={t('modules.lead')}
      points={[t('modules.one'), t('modules.two'), t('modules.three')]}
    />
  )
}
