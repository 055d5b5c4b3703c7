import '#features/audit-trail/offline/translations.ts'
import { useEffect } from 'react'
import { readStoredTrailState } from '#local/audit-trail/stored-trail-state.ts'
import { useDispatch } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { AlarmNote } from '#features/audit-trail/offline/AlarmNote.tsx'
import { getTrailActions } from '#features/audit-trail/offline/trail-actions.ts'

/**
 * Compares the log with what this device has seen of it before, once its entries are on the screen, and shows the alarm as long as it
 * stands. `isOnline`: again when the connection comes back.
 */
export function LogWatch({ companyId, isOnline }: { companyId: number; isOnline: boolean }) {
  const dispatch = useDispatch()
  const alarm = useLiveQuery(() => readStoredTrailState(companyId), [companyId])?.alarm
  useEffect(() => {
    if (!isOnline) return
    // Code that cannot be fetched checks nothing; the next visit does.
    dispatch(getTrailActions())
      .then((trailActions) => trailActions.check(companyId))
      .catch(() => undefined)
  }, [dispatch, companyId, isOnline])
  return alarm ? <AlarmNote alarm={alarm} /> : null
}
