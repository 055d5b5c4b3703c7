import type { ServiceRow } from '#contract/services.ts'
import { formatBusinessTime, toServerTime } from '#ui/page/business-clock.ts'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'
import { type OpenBackupJob, useOpenJob } from '#features/backups/stored/useOpenJob.ts'

/** The backup or restore that runs now. */
export function BackupProgress({ service: { id, code, operation } }: { service: ServiceRow }) {
  const { t } = useTranslation('backups')
  const ownJob = useOpenJob(id)
  const isRestoring = operation?.kind === 'restore-backup' || ownJob?.kind === 'restore'
  return (
    <div role="status" className="backup-doing-room">
      {isRestoring && <RunningOperation title={t('restore.doing', { code })} {...{ operation, ownJob }} />}
      {ownJob && !isRestoring && (
        <RunningOperation
          title={t('backUp.doing', { type: t(`type.${ownJob.type}`) })}
          operation={null}
          ownJob={ownJob}
        />
      )}
    </div>
  )
}

interface RunningOperationProps {
  title: string
  /** As the server has it: with the user who started it. */
  operation: ServiceRow['operation']
  /** This device has started it, and knows its progress. */
  ownJob: OpenBackupJob | null
}

function RunningOperation({ title, operation, ownJob }: RunningOperationProps) {
  const { t } = useTranslation('backups')
  const percent = ownJob?.percent ?? null
  const since = operation?.since ?? formatBusinessTime(toServerTime(ownJob?.since ?? 0))
  return (
    <div className="backup-doing">
      <p>
        <strong>{title}</strong>{' '}
        <span className="backup-beside">
          {operation?.user_name
            ? t('progress.by', { user: operation.user_name, since })
            : t('progress.since', { since })}
        </span>
      </p>
      {percent !== null && (
        <div className="backup-progress">
          <ProgressBar label={t('progress.label')} percent={percent} text={t('progress.percent', { percent })} />
          <span aria-hidden="true">{t('progress.percent', { percent })}</span>
        </div>
      )}
    </div>
  )
}
