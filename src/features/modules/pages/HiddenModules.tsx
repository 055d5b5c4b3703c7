import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function HiddenModules() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="hidden"
      title={t('hiddenModules.title')}
      lead={t('hiddenModules.lead')}
      points={[t('hiddenModules.one'), t('hiddenModules.two'), t('hiddenModules.three')]}
    />
  )
}
