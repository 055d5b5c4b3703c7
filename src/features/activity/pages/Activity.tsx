import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Activity() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="activity"
      title={t('activity.title')}
      lead={t('activity.lead')}
      points={[t('activity.one'), t('activity.two'), t('activity.three')]}
    />
  )
}
