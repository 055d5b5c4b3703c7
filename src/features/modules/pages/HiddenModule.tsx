import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function HiddenModule() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="hidden"
      title={t('hiddenModule.title')}
      crumbs={[{ label: t('hiddenModules.title'), to: '/app/m18/automodule' }]}
      lead={t('hiddenModule.lead')}
      points={[t('hiddenModule.one'), t('hiddenModule.two'), t('hiddenModule.three')]}
    />
  )
}
