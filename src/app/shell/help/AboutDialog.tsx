import { useEffect, useState } from 'react'
import { getBuildTime } from '#contract/client-build.ts'
import { readVersions, formatVersions, type BuildVersions } from '#app/pwa/versions.ts'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { formatBusinessTime } from '#ui/page/business-clock.ts'
import { useTranslation } from 'react-i18next'

/** Shows the builds of the page, of its worker and of the server (P-16). */
export function AboutDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('about')
  const [versions, setVersions] = useState<BuildVersions | null>(null)
  useEffect(() => void readVersions().then(setVersions), [])
  if (!versions) return null
  const { page, worker, server } = versions
  const builtAt = getBuildTime(page)
  const facts = [
    ['page', page],
    ['built', builtAt === null ? t('unknown') : formatBusinessTime(builtAt)],
    ['worker', worker ?? t('noWorker')],
    ['server', server ?? t('noServer')],
  ] as const
  return (
    <Dialog open title={t('title')} onClose={onClose}>
      <div className="about">
        <dl>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{t(`fact.${name}`)}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {server !== null && <p>{t(server === page ? 'newest' : 'newer')}</p>}
        <p className="field-help">{t('report')}</p>
        <CopyText text={formatVersions(versions)} />
      </div>
    </Dialog>
  )
}
