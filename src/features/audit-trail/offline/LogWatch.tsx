import '#features/audit-trail/offline/translations.ts'
import { useEffect } from 'react'
import { readStoredTrailState } from '#local/audit-trail/stored-trail-state.ts'
import { useDispatch } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { AlarmNote } from '#features/audit-trail/offline/AlarmNote.tsx'
import { getTrailActions } from '#features/audit-trail/offline/trail-actions.ts'

/**
 * Compares the server's log with what this device has stored of it, when its entries are displayed and when the connection is back. Shows
 * the alarm, a stored warning that the log was changed, until the user has accepted it.
 */
export function LogWatch({ companyId, isOnline }: { companyId: number; isOnline: boolean }) {
  const dispatch = useDispatch()
  const alarm = useLiveQuery(() => readStoredTrailState(companyId), [companyId])?.alarm
  useEffect(() => {
    if (!isOnline) return
    // If the code cannot be loaded, nothing is compared until the next visit.
    dispatch(getTrailActions())
      .then((trailActions) => trailActions.check(companyId))
      .catch(() => undefined)
  }, [dispatch, companyId, isOnline])
  return alarm ? <AlarmNote alarm={alarm} /> : null
}
