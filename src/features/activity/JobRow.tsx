import type { JobActivity } from '#local/jobs/read-jobs.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { formatReadingTime } from '#ui/page/business-clock.ts'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { getJobName } from '#features/activity/job-name.ts'
import { JobResult, type ServiceResultComponent } from '#features/activity/JobResult.tsx'
import type { JobChange } from '#features/activity/useJobActions.ts'

const toneByState: Record<JobActivity['state'], TagTone> = {
  starting: 'pending',
  unknown: 'pending',
  running: 'accent',
  'sign in': 'pending',
  done: 'positive',
  failed: 'danger',
  timeout: 'warning',
  gone: 'neutral',
}

export interface JobRowProps {
  activity: JobActivity
  ServiceResult: ServiceResultComponent
  onChange: (change: JobChange) => void
}

export function JobRow({ activity, ServiceResult, onChange }: JobRowProps) {
  const { t } = useTranslation('activity')
  const { intent, state, percent } = activity
  const name = getJobName(activity.endpoint)
  return (
    <li className="request">
      <div className="request-head">
        <span className="request-name">
          <strong>{name}</strong>
          <Tag tone={toneByState[state]}>{t(`state.${state}`)}</Tag>
        </span>
        {!activity.isOpen && (
          <Button kind="plain" isIconOnly icon="close" onClick={() => onChange({ change: 'dismiss', intent })}>
            {t('dismiss', { name })}
          </Button>
        )}
      </div>
      {state === 'running' && (
        <div className="request-progress">
          <ProgressBar label={t('progress', { name })} percent={percent} text={t('percent', { percent })} />
          <span className="request-percent">{t('percent', { percent })}</span>
        </div>
      )}
      <JobDetails activity={activity} ServiceResult={ServiceResult} />
      {state === 'timeout' && (
        <div>
          <Button icon="refresh" onClick={() => onChange({ change: 'retry', intent })}>
            {t('again')}
          </Button>
        </div>
      )}
      <p className="request-times">
        {t('since', { at: formatReadingTime(activity.since) })}
        {activity.endedAt !== null && ` · ${t('ended', { at: formatReadingTime(activity.endedAt) })}`}
        {state === 'running' &&
          activity.deadline !== null &&
          ` · ${t('until', { at: formatReadingTime(activity.deadline) })}`}
      </p>
    </li>
  )
}

function JobDetails({ activity, ServiceResult }: Omit<JobRowProps, 'onChange'>) {
  const { t } = useTranslation('activity')
  const { state, problem } = activity
  if (state === 'done') return <JobResult activity={activity} ServiceResult={ServiceResult} />
  if (state === 'running') return null
  if (state !== 'failed' && problem?.code !== 'BLOCKED_BY_PROXY')
    return <p className="request-about">{t(`about.${state}`)}</p>
  return (
    problem && (
      <div className="request-about request-failed">
        <p>{formatProblem(problem)}</p>
        {problem.requestId && (
          <p className="problem-id">
            {t('requestId')} <CopyText text={problem.requestId} />
          </p>
        )}
      </div>
    )
  )
}
