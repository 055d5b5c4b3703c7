import { PlainPage } from '#ui/PlainPage.tsx'
import { useWords } from '#ui/words.ts'

export function Device() {
  const t = useWords('plain')
  return (
    <PlainPage
      icon="device"
      title={t('device.title')}
      lead={t('device.lead')}
      points={[t('device.one'), t('device.two'), t('device.three')]}
    />
  )
}
