import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Upload() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="upload"
      title={t('upload.title')}
      lead={t('upload.lead')}
      points={[t('upload.one'), t('upload.two'), t('upload.three')]}
    />
  )
}
