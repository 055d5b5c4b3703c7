import type { Activity } from '#local/jobs/read-jobs.ts'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { readingTime } from '#ui/list/Freshness.tsx'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { Tag, type Tone } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { jobName } from '#features/activity/job-name.ts'
import { Found, type ServiceResult } from '#features/activity/JobResult.tsx'
import { again, dismiss } from '#features/activity/slice.ts'

const tones: Record<Activity['state'], Tone> = {
  starting: 'pending',
  unknown: 'pending',
  running: 'accent',
  'sign in': 'pending',
  done: 'positive',
  failed: 'danger',
  timeout: 'warning',
  gone: 'neutral',
}

/** One of them: what it is, how far, what it came to, and what can be done about it. */
export function Request({ request, Service }: { request: Activity; Service: ServiceResult }) {
  const { t } = useTranslation('activity')
  const dispatch = useDispatch()
  const { intent, state, percent } = request
  const name = jobName(request.endpoint)
  return (
    <li className="request">
      <div className="request-head">
        <span className="request-name">
          <strong>{name}</strong>
          <Tag tone={tones[state]}>{t(`state.${state}`)}</Tag>
        </span>
        {!request.open && (
          <Button kind="plain" bare icon="close" onClick={() => void dispatch(dismiss(intent))}>
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
      <About request={request} Service={Service} />
      {state === 'timeout' && (
        <div>
          <Button icon="refresh" onClick={() => void dispatch(again(intent))}>
            {t('again')}
          </Button>
        </div>
      )}
      <p className="request-times">
        {t('since', { at: readingTime(request.since) })}
        {request.endedAt !== null && ` · ${t('ended', { at: readingTime(request.endedAt) })}`}
        {state === 'running' && request.deadline !== null && ` · ${t('until', { at: readingTime(request.deadline) })}`}
      </p>
    </li>
  )
}

function About({ request, Service }: { request: Activity; Service: ServiceResult }) {
  const { t } = useTranslation('activity')
  const { state, problem } = request
  if (state === 'done') return <Found request={request} Service={Service} />
  if (state === 'running') return null
  if (state !== 'failed' && problem?.code !== 'BLOCKED_BY_PROXY')
    return <p className="request-about">{t(`about.${state}`)}</p>
  return (
    problem && (
      <div className="request-about request-failed">
        <p>{problemWords(problem)}</p>
        {problem.requestId && (
          <p className="problem-id">
            {t('requestId')} <CopyText text={problem.requestId} />
          </p>
        )}
      </div>
    )
  )
}
