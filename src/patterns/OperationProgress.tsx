import type { ServiceRow } from '#contract/services.ts'
import { formatOperationStep } from '#patterns/format-operation-step.ts'
import { formatBusinessTime, toServerTime } from '#ui/page/business-clock.ts'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'

interface OperationProgressProps {
  /** `look` is the prefix of the class names. `noteClass` is the class of the text with time and user. */
  look: 'backup' | 'service'
  noteClass: string
  title: string | null
  label: string
  operation: ServiceRow['operation']
  /** Set if this device started the operation and knows its progress. `since` is epoch ms by this device's clock. */
  ownJob: { percent: number | null; since: number } | null
}

/** Shows an operation that is running on a service. The page that uses this component must load the messages of services. */
export function OperationProgress({ look, noteClass, title, label, operation, ownJob }: OperationProgressProps) {
  const { t } = useTranslation('services')
  const percent = ownJob?.percent ?? null
  const stepText = formatOperationStep(operation, t)
  const since = operation?.since ?? formatBusinessTime(toServerTime(ownJob?.since ?? 0))
  return (
    <div className={`${look}-doing`}>
      <div>
        <p>
          <strong>{title}</strong>{' '}
          <span className={noteClass}>
            {operation?.user_name
              ? t('progress.by', { user: operation.user_name, since })
              : t('progress.since', { since })}
          </span>
        </p>
        {stepText !== null && <p>{stepText}</p>}
      </div>
      {percent !== null && (
        <div className={`${look}-progress`}>
          <ProgressBar label={label} percent={percent} text={t('progress.percent', { percent })} />
          <span aria-hidden="true">{t('progress.percent', { percent })}</span>
        </div>
      )}
    </div>
  )
}
