import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function AppHistory() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="history"
      title={t('appHistory.title')}
      lead={t('appHistory.lead')}
      points={[t('appHistory.one'), t('appHistory.two'), t('appHistory.three')]}
    />
  )
}
