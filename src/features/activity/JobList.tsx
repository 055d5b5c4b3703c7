import { useEffect } from 'react'
import '#features/activity/style.css'
import type { Intent } from '#contract/endpoint.ts'
import { type JobActivity, readActivity } from '#local/jobs/read-jobs.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { JobRow, type JobRowProps } from '#features/activity/JobRow.tsx'

/** Lists the user's long requests on this device, latest first, and marks them as seen. */
export function JobList(props: Omit<JobRowProps, 'activity'>) {
  const { t } = useTranslation('activity')
  const activities = useLiveQuery(() => readActivity(), [])
  useMarkSeen(activities)
  if (!activities) return <Skeleton />
  if (activities.length === 0)
    return (
      <EmptyState icon="activity" title={t('empty')}>
        <p>{t('emptyText')}</p>
      </EmptyState>
    )
  return (
    <ol className="requests" aria-label={t('caption')}>
      {activities.map((activity) => (
        <JobRow key={activity.intent} activity={activity} {...props} />
      ))}
    </ol>
  )
}

const markSeen =
  (intents: readonly Intent[]): AppThunk =>
  (_dispatch, _getState, { jobActions }) =>
    jobActions.markSeen(intents)

function useMarkSeen(activities: readonly JobActivity[] | undefined) {
  const dispatch = useDispatch()
  const unseenIntents =
    activities?.filter((activity) => !activity.isOpen && !activity.seen).map(({ intent }) => intent) ?? []
  const unseenKey = unseenIntents.join()
  useEffect(() => {
    if (unseenKey !== '') void dispatch(markSeen(unseenKey.split(',')))
  }, [dispatch, unseenKey])
}
