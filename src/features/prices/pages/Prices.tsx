import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Prices() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="price"
      title={t('prices.title')}
      lead={t('prices.lead')}
      points={[t('prices.one'), t('prices.two'), t('prices.three')]}
    />
  )
}
