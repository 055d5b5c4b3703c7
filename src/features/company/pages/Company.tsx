import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Company() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="company"
      title={t('company.title')}
      lead={t('company.lead')}
      points={[t('company.one'), t('company.two'), t('company.three')]}
    />
  )
}
