import type { ServiceRow } from '#contract/services.ts'
import { businessTime, fromDeviceClock } from '#ui/page/business-clock.ts'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'
import { useOpenJob } from '#features/backups/stored/jobs.ts'

/** What is made or restored now: by whom and since when, and how far where this device has begun it. */
export function Doing({ service: { id, code, operation } }: { service: ServiceRow }) {
  const { t } = useTranslation('backups')
  const own = useOpenJob(id)
  const isRestored = operation?.kind === 'restore-backup' || own?.kind === 'restore'
  const percent = own?.job.percent ?? null
  const user = isRestored ? (operation?.user_name ?? null) : null
  const since = isRestored && operation ? operation.since : businessTime(fromDeviceClock(own?.job.since ?? 0))
  return (
    <div role="status" className="backup-doing-room">
      {(isRestored || own) && (
        <div className="backup-doing">
          <p>
            <strong>
              {isRestored
                ? t('restore.doing', { code })
                : t('backUp.doing', { type: t(`type.${own?.type ?? 'pdb2s3'}`) })}
            </strong>{' '}
            <span className="backup-beside">
              {user === null ? t('progress.since', { since }) : t('progress.by', { user, since })}
            </span>
          </p>
          {percent !== null && (
            <div className="backup-progress">
              <ProgressBar label={t('progress.label')} percent={percent} text={t('progress.percent', { percent })} />
              <span aria-hidden="true">{t('progress.percent', { percent })}</span>
            </div>
          )}
        </div>
      )}
    </div>
  )
}
