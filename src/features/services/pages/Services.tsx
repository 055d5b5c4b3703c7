import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Services() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="service"
      title={t('services.title')}
      lead={t('services.lead')}
      points={[t('services.one'), t('services.two'), t('services.three')]}
    />
  )
}
