import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Password() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="key"
      title={t('password.title')}
      lead={t('password.lead')}
      points={[t('password.one'), t('password.two'), t('password.three')]}
    />
  )
}
