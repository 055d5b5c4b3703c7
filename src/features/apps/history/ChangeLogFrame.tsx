import { useCallback, useEffect, useState } from 'react'
import { isOffline } from '#contract/problem.ts'
import type { CallResult } from '#request/call-results.ts'
import { useDispatch } from '#state/use-store.ts'
import { useFetch } from '#state/use-fetch.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { readChangeLog } from '#features/apps/history/app-history-slice.ts'

/**
 * A change log in a frame of 700 by 300, narrower on a phone, that runs no script (contracts 2, D87). No worker answers what a
 * sandboxed frame asks for: the page reads the document, and hands it over.
 */
export function ChangeLogFrame({ id, title }: { id: string; title: string }) {
  const { t } = useTranslation('apps')
  const { result, refetch } = useChangeLog(id)
  if (result === null)
    return (
      <div className="change-log">
        <Skeleton lines={5} />
      </div>
    )
  if (result.kind === 'fresh')
    return (
      <iframe
        className="change-log"
        title={title}
        width={700}
        height={300}
        // Links lead to tabs of their own, outside the sandbox: else a page there could not run.
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        srcDoc={result.output}
      />
    )
  const problem = result.kind === 'problem' ? result.problem : null
  if (isOffline(problem))
    return (
      <div className="change-log">
        <EmptyState icon="offline" title={t('changeLog.notHere')}>
          {t('changeLog.notHereText')}
        </EmptyState>
      </div>
    )
  return <ProblemNote problem={problem} onRetry={refetch} shouldFocus />
}

/** Null: it is being read. Read again when the line is back, and in other colours when the system's change. */
function useChangeLog(id: string) {
  const dispatch = useDispatch()
  const [result, setResult] = useState<CallResult<string> | null>(null)
  const refetch = useCallback(() => {
    void dispatch(readChangeLog(id)).then((newResult) =>
      // What is shown stays, where it cannot be read again.
      setResult((previous) => (previous?.kind === 'fresh' && newResult.kind !== 'fresh' ? previous : newResult)),
    )
  }, [dispatch, id])
  useFetch(refetch)
  useEffect(() => {
    const darkScheme = matchMedia('(prefers-color-scheme: dark)')
    // The page has its new colours only after it has heard the same.
    const refetchLater = () => setTimeout(refetch)
    darkScheme.addEventListener('change', refetchLater)
    return () => darkScheme.removeEventListener('change', refetchLater)
  }, [refetch])
  return { result, refetch }
}
