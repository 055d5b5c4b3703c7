import { PlainPage } from '#ui/page/ComingSoonPage.tsx'
import { useTranslation } from 'react-i18next'

export function Price() {
  const { t } = useTranslation('plain')
  return (
    <PlainPage
      icon="price"
      title={t('price.title')}
      crumbs={[{ label: t('prices.title'), to: '/app/m18/price' }]}
      lead={t('price.lead')}
      points={[t('price.one'), t('price.two'), t('price.three')]}
    />
  )
}
