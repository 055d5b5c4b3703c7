import { useEffect } from 'react'
import '#features/activity/style.css'
import type { JobActivity } from '#local/jobs/read-jobs.ts'
import { readActivity } from '#local/jobs/read-jobs.ts'
import { useDispatch } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import type { ServiceResultComponent } from '#features/activity/JobResult.tsx'
import { JobRow } from '#features/activity/JobRow.tsx'
import { markSeen } from '#features/activity/slice.ts'

/** The user's long requests on this device, the newest first. What is drawn here has been seen. */
export function JobList({ ServiceResult }: { ServiceResult: ServiceResultComponent }) {
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
        <JobRow key={activity.intent} activity={activity} ServiceResult={ServiceResult} />
      ))}
    </ol>
  )
}

function useMarkSeen(activities: readonly JobActivity[] | undefined) {
  const dispatch = useDispatch()
  const unseenIntents =
    activities?.filter((activity) => !activity.isOpen && !activity.seen).map(({ intent }) => intent) ?? []
  const unseenKey = unseenIntents.join()
  useEffect(() => {
    if (unseenKey !== '') void dispatch(markSeen(unseenKey.split(',')))
  }, [dispatch, unseenKey])
}
