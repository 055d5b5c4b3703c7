import type { ServiceOperation, ServiceRow } from '#contract/services.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { formatBusinessTime, toServerTime } from '#ui/page/business-clock.ts'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { findMessage } from '#ui/i18n/messages.ts'
import { useTranslation } from 'react-i18next'
import { findOpenJob, getOperation, findPasswordJob, type ServiceJob } from '#features/services/operations/jobs.ts'
import type { useServiceActions } from '#features/services/operations/useServiceActions.tsx'

interface ServiceProgressProps {
  row: ServiceRow
  jobs: readonly ServiceJob[] | undefined
  actions: ReturnType<typeof useServiceActions>
}

/** The operation that runs on the service, and a password that waits to be shown. */
export function ServiceProgress({ row, jobs, actions }: ServiceProgressProps) {
  const { t } = useTranslation('services')
  const ownJob = findOpenJob(jobs, row)
  const passwordJob = findPasswordJob(jobs, row)
  const kind = row.operation?.kind ?? (ownJob && getOperation(ownJob))
  return (
    <div role="status" className="service-doing-room">
      {kind && <RunningOperation kind={kind} row={row} ownJob={ownJob} />}
      {passwordJob && (
        <div className="service-doing">
          <p>
            <Icon name="key" /> {t('password.ready')}
          </p>
          <Button icon="seen" onClick={() => actions.openDialog({ kind: 'password', row, intent: passwordJob.intent })}>
            {t('password.show')}
          </Button>
        </div>
      )}
    </div>
  )
}

interface RunningOperationProps {
  kind: ServiceOperation
  row: ServiceRow
  /** This device has started it, and knows its progress. */
  ownJob: ServiceJob | null
}

function RunningOperation({ kind, row: { code, operation }, ownJob }: RunningOperationProps) {
  const { t } = useTranslation('services')
  const percent = ownJob?.percent ?? null
  const since = operation?.since ?? formatBusinessTime(toServerTime(ownJob?.since ?? 0))
  return (
    <div className="service-doing">
      <p>
        <strong>{findMessage('services', `doing.${kind}`)}</strong>{' '}
        <span className="service-note">
          {operation?.user_name
            ? t('progress.by', { user: operation.user_name, since })
            : t('progress.since', { since })}
        </span>
      </p>
      {percent !== null && (
        <div className="service-progress">
          <ProgressBar
            label={t('progress.label', { code })}
            percent={percent}
            text={t('progress.percent', { percent })}
          />
          <span aria-hidden="true">{t('progress.percent', { percent })}</span>
        </div>
      )}
    </div>
  )
}
