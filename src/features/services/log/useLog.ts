import { useCallback, useEffect, useRef, useState } from 'react'
import { isOffline, createLocalProblem, type Problem } from '#contract/problem.ts'
import type { CallResult } from '#request/call-results.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { useFetch } from '#state/use-fetch.ts'
import { createLines, type LogLinesState, appendLines } from '#features/services/log/log-lines.ts'
import { fetchLog, type LogResponse } from '#features/services/slice.ts'

/** How often whoever follows asks, ms. */
const followIntervalMs = 2_000

interface LogRequest {
  /** Null: which service it is, or what span is meant, is not known yet. */
  id: number | null
  span: { from: string; to?: string } | null
  searchText: string
  shouldFollow: boolean
}

/** What is thrown is code that could not be fetched, which is as out of reach as the server. */
const toOfflineResult = (): CallResult<LogResponse> => ({ kind: 'problem', problem: createLocalProblem('OFFLINE') })

/** Lines of a span, found by text; whoever follows is shown what comes after them, while the page is seen and there is a connection. */
export function useLog({ id, span, searchText, shouldFollow }: LogRequest) {
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const [displayedLog, setDisplayedLog] = useState<{ requestKey: string; lines: LogLinesState } | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isFetching, setFetching] = useState(false)
  const search = searchText.trim()
  const requestKey = id === null || span === null ? null : JSON.stringify({ id, ...span, search })
  // Only the last question is listened to.
  const latestKey = useRef(requestKey)
  useEffect(() => {
    latestKey.current = requestKey
  })
  const refetch = useCallback(() => {
    if (requestKey === null) return
    const {
      id: requestedId,
      search: requestedText,
      ...timestamps
    } = JSON.parse(requestKey) as { id: number; search: string; from: string; to?: string }
    setFetching(true)
    void dispatch(
      fetchLog(requestedId, { ...timestamps, ...(requestedText === '' ? {} : { searchText: requestedText }) }),
    )
      .catch(toOfflineResult)
      .then((result) => {
        if (latestKey.current !== requestKey) return
        setFetching(false)
        setProblem(result.kind === 'problem' ? result.problem : null)
        if (result.kind === 'fresh') setDisplayedLog({ requestKey, lines: createLines(result.output) })
      })
  }, [dispatch, requestKey])
  useFetch(refetch, requestKey === null)

  const currentLines = displayedLog !== null && displayedLog.requestKey === requestKey ? displayedLog.lines : null
  const nextCursor = useRef<string | null>(null)
  useEffect(() => {
    nextCursor.current = currentLines?.next ?? null
  })
  const isReady = currentLines !== null
  useEffect(() => {
    if (!shouldFollow || !isOnline || !isReady || id === null || requestKey === null) return
    let isActive = true
    let timer: ReturnType<typeof setTimeout>
    const fetchNext = async () => {
      const cursor = nextCursor.current
      if (document.visibilityState === 'visible' && cursor !== null) {
        const result = await dispatch(
          fetchLog(id, { after: cursor, ...(search === '' ? {} : { searchText: search }) }),
        ).catch(toOfflineResult)
        if (!isActive) return
        // That the connection is gone the frame says, and it goes on by itself.
        if (result.kind === 'problem') setProblem(isOffline(result.problem) ? null : result.problem)
        if (result.kind === 'fresh') {
          setProblem(null)
          // Read anew meanwhile, it has those lines already.
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
  }, [dispatch, shouldFollow, isOnline, isReady, id, requestKey, search])
  // The lines of the last question stay until those of the next are there.
  return {
    lines: (currentLines ?? displayedLog?.lines) || null,
    isCurrent: currentLines !== null,
    problem,
    isFetching: isFetching && isOnline,
    refetch,
  }
}
