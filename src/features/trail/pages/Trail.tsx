import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Trail() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="trail"
      title={t('trail.title')}
      lead={t('trail.lead')}
      points={[t('trail.one'), t('trail.two'), t('trail.three')]}
    />
  )
}
