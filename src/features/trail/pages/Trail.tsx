import { PlainPage } from '#ui/page/ComingSoonPage.tsx'
import { useTranslation } from 'react-i18next'

export function Trail() {
  const { t } = useTranslation('plain')
  return (
    <PlainPage
      icon="trail"
      title={t('trail.title')}
      lead={t('trail.lead')}
      points={[t('trail.one'), t('trail.two'), t('trail.three')]}
    />
  )
}
