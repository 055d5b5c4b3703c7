import { useEffect } from 'react'
import '#features/activity/style.css'
import type { Activity } from '#local/activity.ts'
import { readActivity } from '#local/activity.ts'
import { useDispatch } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { EmptyState } from '#ui/EmptyState.tsx'
import { Skeleton } from '#ui/Skeleton.tsx'
import { useWords } from '#ui/words.ts'
import { Request } from '#features/activity/components/Request.tsx'
import { seen } from '#features/activity/slice.ts'

/** The user's long requests on this device, the newest first. What is drawn here has been seen. */
export function Requests() {
  const t = useWords('activity')
  const all = useLive(() => readActivity(), [])
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
        <Request key={request.intent} request={request} />
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
