import { PlainPage } from '#ui/page/ComingSoonPage.tsx'
import { useTranslation } from 'react-i18next'

export function Services() {
  const { t } = useTranslation('plain')
  return (
    <PlainPage
      icon="service"
      title={t('services.title')}
      lead={t('services.lead')}
      points={[t('services.one'), t('services.two'), t('services.three')]}
    />
  )
}
