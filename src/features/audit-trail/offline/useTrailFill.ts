import { useCallback, useRef, useState } from 'react'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { StoreTrailResult } from '#request/call-results.ts'
import { useDispatch } from '#state/use-store.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { getTrailActions } from '#features/audit-trail/offline/trail-actions.ts'

export interface TrailFill {
  isBusy: boolean
  problem: Problem | null
  notice: 'busy' | 'notLog' | null
  /** Loads the missing entries. Continues after the dialog was closed. */
  fill: () => Promise<void>
  pause: () => void
}

/** Loads the entries of the stored range of this company. Only one such download runs at a time. */
export function useTrailFill(companyId: number): TrailFill {
  const { t } = useTranslation('storedTrail')
  const dispatch = useDispatch()
  const [isBusy, setIsBusy] = useState(false)
  const [result, setResult] = useState<StoreTrailResult | null>(null)
  const controller = useRef<AbortController | null>(null)
  const fill = useCallback(async () => {
    controller.current = new AbortController()
    const { signal } = controller.current
    setIsBusy(true)
    setResult(null)
    const fillResult = await dispatch(getTrailActions())
      .then((trailActions) => trailActions.fill(companyId, { signal }))
      // Code that cannot be loaded is reported like an unreachable server.
      .catch((): StoreTrailResult => ({ kind: 'problem', problem: createLocalProblem('OFFLINE') }))
    setIsBusy(false)
    setResult(fillResult)
    if (fillResult.kind === 'done') showToast({ kind: 'done', text: t('keep.done') })
  }, [dispatch, companyId, t])
  return {
    isBusy,
    problem: result?.kind === 'problem' ? result.problem : null,
    notice: result?.kind === 'busy' ? 'busy' : result?.kind === 'refused' ? 'notLog' : null,
    fill,
    pause: () => controller.current?.abort(),
  }
}
