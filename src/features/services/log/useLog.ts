import { useCallback, useEffect, useRef, useState } from 'react'
import { isOffline, createLocalProblem, type Problem } from '#contract/problem.ts'
import { readServiceLog } from '#contract/services.ts'
import type { CallResult } from '#request/call-results.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { useFetch } from '#state/use-fetch.ts'
import { createLines, type LogLinesState, type LogResponse, appendLines } from '#features/services/log/log-lines.ts'

/** Interval between two requests of a followed log, in ms. */
const followIntervalMs = 2_000

interface LogRequest {
  id: number
  span: { from: string; to?: string }
  searchText: string
  shouldFollow: boolean
}

/** The result if code that is loaded on demand cannot be reached: the same as for an unreachable server. */
const toOfflineResult = (): CallResult<LogResponse> => ({ kind: 'problem', problem: createLocalProblem('OFFLINE') })

/**
 * Returns the lines of a time range that contain the text. If the log is followed, new lines are fetched while the page is visible and
 * online.
 */
export function useLog({ id, span: { from, to }, searchText, shouldFollow }: LogRequest) {
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const [displayedLog, setDisplayedLog] = useState<{ requestKey: string; lines: LogLinesState } | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isFetching, setFetching] = useState(false)
  const search = searchText.trim()
  const requestKey = JSON.stringify({ id, from, to, search })
  // Key of the latest request. Only its response is displayed.
  const latestKey = useRef(requestKey)
  useEffect(() => {
    latestKey.current = requestKey
  })
  const fetchLog = useCallback(
    (range: { from?: string; to?: string | undefined; after?: string }) =>
      dispatch(
        callEndpoint(readServiceLog, { params: { id }, query: { ...range, searchText: search || undefined } }),
      ).catch(toOfflineResult),
    [dispatch, id, search],
  )
  const refetch = useCallback(() => {
    setFetching(true)
    void fetchLog({ from, to }).then((result) => {
      if (latestKey.current !== requestKey) return
      setFetching(false)
      setProblem(result.kind === 'problem' ? result.problem : null)
      if (result.kind === 'fresh') setDisplayedLog({ requestKey, lines: createLines(result.output) })
    })
  }, [fetchLog, requestKey, from, to])
  useFetch(refetch)

  const currentLines = displayedLog?.requestKey === requestKey ? displayedLog.lines : null
  const nextCursor = useRef<string | null>(null)
  useEffect(() => {
    nextCursor.current = currentLines?.next ?? null
  })
  const isReady = currentLines !== null
  useEffect(() => {
    if (!shouldFollow || !isOnline || !isReady) return
    let isActive = true
    let timer: ReturnType<typeof setTimeout>
    const fetchNext = async () => {
      const cursor = nextCursor.current
      if (document.visibilityState === 'visible' && cursor !== null) {
        const result = await fetchLog({ after: cursor })
        if (!isActive) return
        // A lost connection is not a problem here: the status shows it, and following resumes automatically.
        if (result.kind === 'problem') setProblem(isOffline(result.problem) ? null : result.problem)
        if (result.kind === 'fresh') {
          setProblem(null)
          // If the range was fetched again in the meantime, these lines are already included.
          setDisplayedLog((previous) =>
            previous?.requestKey === requestKey && previous.lines.next === cursor
              ? { requestKey, lines: appendLines(previous.lines, result.output) }
              : previous,
          )
        }
      }
      timer = setTimeout(() => void fetchNext(), followIntervalMs)
    }
    timer = setTimeout(() => void fetchNext(), followIntervalMs)
    return () => {
      isActive = false
      clearTimeout(timer)
    }
  }, [fetchLog, shouldFollow, isOnline, isReady, requestKey])
  return {
    /** The previous request's lines are displayed until those of the next have arrived. */
    lines: displayedLog?.lines ?? null,
    isCurrent: currentLines !== null,
    problem,
    isFetching: isFetching && isOnline,
    refetch,
  }
}
