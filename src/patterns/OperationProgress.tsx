import type { ServiceRow } from '#contract/services.ts'
import { formatBusinessTime, toServerTime } from '#ui/page/business-clock.ts'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'

interface OperationProgressProps {
  /** Class names begin with it; `noteClass`: of the time and the user. */
  look: 'backup' | 'service'
  noteClass: string
  title: string | null
  label: string
  /** As the server has it: with the user who started it. */
  operation: ServiceRow['operation']
  /** This device has started it, and knows its progress. `since`: epoch ms, by the clock of this device. */
  ownJob: { percent: number | null; since: number } | null
}

/** An operation that runs on a service. Its page brings the messages of services. */
export function OperationProgress({ look, noteClass, title, label, operation, ownJob }: OperationProgressProps) {
  const { t } = useTranslation('services')
  const percent = ownJob?.percent ?? null
  const since = operation?.since ?? formatBusinessTime(toServerTime(ownJob?.since ?? 0))
  return (
    <div className={`${look}-doing`}>
      <p>
        <strong>{title}</strong>{' '}
        <span className={noteClass}>
          {operation?.user_name
            ? t('progress.by', { user: operation.user_name, since })
            : t('progress.since', { since })}
        </span>
      </p>
      {percent !== null && (
        <div className={`${look}-progress`}>
          <ProgressBar label={label} percent={percent} text={t('progress.percent', { percent })} />
          <span aria-hidden="true">{t('progress.percent', { percent })}</span>
        </div>
      )}
    </div>
  )
}
