import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Module() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="module"
      title={t('module.title')}
      crumbs={[{ label: t('modules.title'), to: '/app/m18/module' }]}
      lead={t('module.lead')}
      points={[t('module.one'), t('module.two'), t('module.three')]}
    />
  )
}
