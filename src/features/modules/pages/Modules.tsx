import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Modules() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="module"
      title={t('modules.title')}
      lead={t('modules.lead')}
      points={[t('modules.one'), t('modules.two'), t('modules.three')]}
    />
  )
}
