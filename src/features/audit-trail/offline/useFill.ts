import { useCallback, useRef, useState } from 'react'
import { localProblem, type Problem } from '#contract/problem.ts'
import type { KeepResult } from '#request/results.ts'
import { useDispatch } from '#state/hooks.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { trailsPort } from '#features/audit-trail/offline/trails.ts'

export interface Filling {
  busy: boolean
  problem: Problem | null
  /** In words, where it is no problem that has a code. */
  said: 'busy' | 'notLog' | null
  /** Goes on with what is missing. Runs on when the dialog is closed. */
  fill: () => Promise<void>
  pause: () => void
}

/** The fill of this company's range, of which one runs in a page. */
export function useFill(companyId: number): Filling {
  const { t } = useTranslation('auditKept')
  const dispatch = useDispatch()
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState<KeepResult | null>(null)
  const controller = useRef<AbortController | null>(null)
  const fill = useCallback(async () => {
    controller.current = new AbortController()
    const { signal } = controller.current
    setBusy(true)
    setResult(null)
    const ended = await dispatch(trailsPort())
      .then((trails) => trails.fill(companyId, { signal }))
      // Code that cannot be fetched is as out of reach as the server.
      .catch((): KeepResult => ({ kind: 'problem', problem: localProblem('OFFLINE') }))
    setBusy(false)
    setResult(ended)
    if (ended.kind === 'done') showToast({ kind: 'done', text: t('keep.done') })
  }, [dispatch, companyId, t])
  return {
    busy,
    problem: result?.kind === 'problem' ? result.problem : null,
    said: result?.kind === 'busy' ? 'busy' : result?.kind === 'refused' ? 'notLog' : null,
    fill,
    pause: () => controller.current?.abort(),
  }
}
