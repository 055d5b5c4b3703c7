import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Contract() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="contract"
      title={t('contract.title')}
      crumbs={[{ label: t('contracts.title'), to: '/app/contract' }]}
      lead={t('contract.lead')}
      points={[t('contract.one'), t('contract.two'), t('contract.three')]}
    />
  )
}
