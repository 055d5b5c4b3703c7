import { PlainPage } from '#ui/page/ComingSoonPage.tsx'
import { useTranslation } from 'react-i18next'

export function Upload() {
  const { t } = useTranslation('plain')
  return (
    <PlainPage
      icon="upload"
      title={t('upload.title')}
      lead={t('upload.lead')}
      points={[t('upload.one'), t('upload.two'), t('upload.three')]}
    />
  )
}
