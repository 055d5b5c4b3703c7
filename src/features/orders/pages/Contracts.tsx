import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Contracts() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="contract"
      title={t('contracts.title')}
      lead={t('contracts.lead')}
      points={[t('contracts.one'), t('contracts.two'), t('contracts.three')]}
    />
  )
}
