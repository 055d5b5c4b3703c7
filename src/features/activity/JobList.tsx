import { useEffect } from 'react'
import '#features/activity/style.css'
import type { Activity } from '#local/jobs/read-jobs.ts'
import { readActivity } from '#local/jobs/read-jobs.ts'
import { useDispatch } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import type { ServiceResult } from '#features/activity/JobResult.tsx'
import { Request } from '#features/activity/JobRow.tsx'
import { seen } from '#features/activity/slice.ts'

/** The user's long requests on this device, the newest first. What is drawn here has been seen. */
export function Requests({ Service }: { Service: ServiceResult }) {
  const { t } = useTranslation('activity')
  const all = useLiveQuery(() => readActivity(), [])
  useSeen(all)
  if (!all) return <Skeleton />
  if (all.length === 0)
    return (
      <EmptyState icon="activity" title={t('empty')}>
        <p>{t('emptyText')}</p>
      </EmptyState>
    )
  return (
    <ol className="requests" aria-label={t('caption')}>
      {all.map((request) => (
        <Request key={request.intent} request={request} Service={Service} />
      ))}
    </ol>
  )
}

function useSeen(all: readonly Activity[] | undefined) {
  const dispatch = useDispatch()
  const fresh = all?.filter((one) => !one.open && !one.seen).map(({ intent }) => intent) ?? []
  const named = fresh.join()
  useEffect(() => {
    if (named !== '') void dispatch(seen(named.split(',')))
  }, [dispatch, named])
}
