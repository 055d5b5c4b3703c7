import type { ServiceRow } from '#contract/services.ts'
import { OperationProgress } from '#patterns/OperationProgress.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { findMessage } from '#ui/i18n/messages.ts'
import { useTranslation } from 'react-i18next'
import { findOpenJob, getOperation, findPasswordJob, type ServiceJob } from '#features/services/operations/jobs.ts'
import type { useServiceActions } from '#features/services/operations/useServiceActions.tsx'

interface ServiceProgressProps {
  row: ServiceRow
  jobs: readonly ServiceJob[] | undefined
  actions: ReturnType<typeof useServiceActions>
}

export function ServiceProgress({ row, jobs, actions }: ServiceProgressProps) {
  const { t } = useTranslation('services')
  const ownJob = findOpenJob(jobs, row)
  const passwordJob = findPasswordJob(jobs, row)
  const kind = row.operation?.kind ?? (ownJob && getOperation(ownJob))
  return (
    // Not atomic: when the step changes, only its text is read out, not the whole operation again.
    <div role="status" aria-atomic="false" className="service-doing-room">
      {kind && (
        <OperationProgress
          look="service"
          noteClass="service-note"
          title={findMessage('services', `doing.${kind}`)}
          label={t('progress.label', { code: row.code })}
          operation={row.operation}
          ownJob={ownJob}
        />
      )}
      {passwordJob && (
        <div className="service-doing">
          <p>
            <Icon name="key" /> {t('password.ready')}
          </p>
          <Button
            icon="seen"
            aria-haspopup="dialog"
            onClick={() => actions.openDialog({ kind: 'password', row, intent: passwordJob.intent })}
          >
            {t('password.show')}
          </Button>
        </div>
      )}
    </div>
  )
}
