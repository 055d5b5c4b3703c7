import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Entrance() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="service"
      title={t('entrance.title')}
      lead={t('entrance.lead')}
      points={[t('entrance.one'), t('entrance.two'), t('entrance.three')]}
    />
  )
}
