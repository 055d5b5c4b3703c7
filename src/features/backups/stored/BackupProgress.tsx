import type { ServiceRow } from '#contract/services.ts'
import { useTranslation } from 'react-i18next'
import { OperationProgress } from '#patterns/OperationProgress.tsx'
import { useOpenJob } from '#features/backups/stored/useOpenJob.ts'

export function BackupProgress({ service: { id, code, operation } }: { service: ServiceRow }) {
  const { t } = useTranslation('backups')
  const ownJob = useOpenJob(id)
  const isRestoring = operation?.kind === 'restore-backup' || ownJob?.kind === 'restore'
  const backupTitle = ownJob && t('backUp.doing', { type: t(`type.${ownJob.type}`) })
  return (
    <div role="status" className="backup-doing-room">
      {(isRestoring || ownJob) && (
        <OperationProgress
          look="backup"
          noteClass="backup-beside"
          title={isRestoring ? t('restore.doing', { code }) : backupTitle}
          label={t('progress.label')}
          operation={isRestoring ? operation : null}
          ownJob={ownJob}
        />
      )}
    </div>
  )
}
