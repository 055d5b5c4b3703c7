import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Price() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="price"
      title={t('price.title')}
      crumbs={[{ label: t('prices.title'), to: '/app/m18/price' }]}
      lead={t('price.lead')}
      points={[t('price.one'), t('price.two'), t('price.three')]}
    />
  )
}
