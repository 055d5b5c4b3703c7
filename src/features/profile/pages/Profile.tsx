import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Profile() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="person"
      title={t('profile.title')}
      lead={t('profile.lead')}
      points={[t('profile.one'), t('profile.two'), t('profile.three')]}
    />
  )
}
