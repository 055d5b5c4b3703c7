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
 * Shows a change log in a frame of 700 by 300 pixels, narrower on a phone, that runs no scripts (contracts 2, D87). No service worker
 * handles requests of a sandboxed frame, so the page reads the document and passes it to the frame.
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
        // Links open in new tabs outside the sandbox. Inside it, scripts of the linked page could not run.
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

/** Reads the change log, and reads it again when the connection is back or the colour scheme changes. `result` is null while loading. */
function useChangeLog(id: string) {
  const dispatch = useDispatch()
  const [result, setResult] = useState<CallResult<string> | null>(null)
  const refetch = useCallback(() => {
    void dispatch(readChangeLog(id)).then((newResult) =>
      // A displayed change log stays if it cannot be read again.
      setResult((previous) => (previous?.kind === 'fresh' && newResult.kind !== 'fresh' ? previous : newResult)),
    )
  }, [dispatch, id])
  useFetch(refetch)
  useEffect(() => {
    const darkScheme = matchMedia('(prefers-color-scheme: dark)')
    // The page changes its own colours in a listener of the same event. The timeout lets that listener run first.
    const refetchLater = () => setTimeout(refetch)
    darkScheme.addEventListener('change', refetchLater)
    return () => darkScheme.removeEventListener('change', refetchLater)
  }, [refetch])
  return { result, refetch }
}
