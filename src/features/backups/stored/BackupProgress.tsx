import type { ServiceRow } from '#contract/services.ts'
import { formatBusinessTime, toServerTime } from '#ui/page/business-clock.ts'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'
import { useOpenJob } from '#features/backups/stored/jobs.ts'

/** What is made or restored now: by whom and since when, and how far where this device has begun it. */
export function BackupProgress({ service: { id, code, operation } }: { service: ServiceRow }) {
  const { t } = useTranslation('backups')
  const ownJob = useOpenJob(id)
  const isRestoring = operation?.kind === 'restore-backup' || ownJob?.kind === 'restore'
  const percent = ownJob?.job.percent ?? null
  const userName = isRestoring ? (operation?.user_name ?? null) : null
  const since = isRestoring && operation ? operation.since : formatBusinessTime(toServerTime(ownJob?.job.since ?? 0))
  return (
    <div role="status" className="backup-doing-room">
      {(isRestoring || ownJob) && (
        <div className="backup-doing">
          <p>
            <strong>
              {isRestoring
                ? t('restore.doing', { code })
                : t('backUp.doing', { type: t(`type.${ownJob?.type ?? 'pdb2s3'}`) })}
            </strong>{' '}
            <span className="backup-beside">
              {userName === null ? t('progress.since', { since }) : t('progress.by', { user: userName, since })}
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
