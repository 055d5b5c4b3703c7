import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function NewContract() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="contract"
      title={t('newContract.title')}
      crumbs={[{ label: t('contracts.title'), to: '/app/contract' }]}
      lead={t('newContract.lead')}
      points={[t('newContract.one'), t('newContract.two'), t('newContract.three')]}
    />
  )
}
