import { PlainPage } from '#ui/page/ComingSoonPage.tsx'
import { useTranslation } from 'react-i18next'

export function Prices() {
  const { t } = useTranslation('plain')
  return (
    <PlainPage
      icon="price"
      title={t('prices.title')}
      lead={t('prices.lead')}
      points={[t('prices.one'), t('prices.two'), t('prices.three')]}
    />
  )
}
