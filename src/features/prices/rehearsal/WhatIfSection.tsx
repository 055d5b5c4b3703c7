import { type ComponentProps, lazy, memo, Suspense } from 'react'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import type { WhatIfPanel as WhatIfPanelType } from '#features/prices/rehearsal/WhatIfPanel.tsx'
import { useSettings } from '#patterns/useSettings.ts'

const WhatIfPanel = lazy(async () => ({
  default: (await import('#features/prices/rehearsal/WhatIfPanel.tsx')).WhatIfPanel,
}))

type Props = Omit<ComponentProps<typeof WhatIfPanelType>, 'uatBound'>

export const WhatIfSection = memo(function WhatIfSection(props: Props) {
  const { t } = useTranslation('prices')
  const settings = useSettings()
  return (
    <section className="card price-rehearsal" aria-labelledby="price-what-if">
      <h2 id="price-what-if">{t('whatIf.title')}</h2>
      <p>{t('whatIf.lead')}</p>
      {settings ? (
        <Suspense fallback={<Skeleton lines={4} />}>
          <WhatIfPanel {...props} uatBound={settings.uat_bound} />
        </Suspense>
      ) : (
        <p className="price-note">{t('whatIf.notHere')}</p>
      )}
    </section>
  )
})
