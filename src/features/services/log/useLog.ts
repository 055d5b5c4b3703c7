import { useCallback, useEffect, useRef, useState } from 'react'
import { isOffline, localProblem, type Problem } from '#contract/problem.ts'
import type { Result } from '#request/results.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useFetch } from '#state/use-fetch.ts'
import { firstLines, type Lines, withMore } from '#features/services/log/log-lines.ts'
import { askLog, type LogAnswer } from '#features/services/slice.ts'

/** How often whoever follows asks, ms. */
const followMs = 2_000

interface Asked {
  /** Null: which service it is, or what span is meant, is not known yet. */
  id: number | null
  span: { from: string; to?: string } | null
  searchText: string
  follow: boolean
}

/** What is thrown is code that could not be fetched, which is as out of reach as the server. */
const unreached = (): Result<LogAnswer> => ({ kind: 'problem', problem: localProblem('OFFLINE') })

/** Lines of a span, found by text; whoever follows is shown what comes after them, while the page is seen and there is a connection. */
export function useLog({ id, span, searchText, follow }: Asked) {
  const dispatch = useDispatch()
  const isOnline = useConnection().line === 'online'
  const [shown, setShown] = useState<{ of: string; lines: Lines } | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isFetching, setFetching] = useState(false)
  const search = searchText.trim()
  const of = id === null || span === null ? null : JSON.stringify({ id, ...span, search })
  // Only the last question is listened to.
  const latest = useRef(of)
  useEffect(() => {
    latest.current = of
  })
  const refetch = useCallback(() => {
    if (of === null) return
    const {
      id: asked,
      search: text,
      ...times
    } = JSON.parse(of) as { id: number; search: string; from: string; to?: string }
    setFetching(true)
    void dispatch(askLog(asked, { ...times, ...(text === '' ? {} : { searchText: text }) }))
      .catch(unreached)
      .then((result) => {
        if (latest.current !== of) return
        setFetching(false)
        setProblem(result.kind === 'problem' ? result.problem : null)
        if (result.kind === 'fresh') setShown({ of, lines: firstLines(result.output) })
      })
  }, [dispatch, of])
  useFetch(refetch, of === null)

  const current = shown !== null && shown.of === of ? shown.lines : null
  const next = useRef<string | null>(null)
  useEffect(() => {
    next.current = current?.next ?? null
  })
  const isReady = current !== null
  useEffect(() => {
    if (!follow || !isOnline || !isReady || id === null || of === null) return
    let stands = true
    let timer: ReturnType<typeof setTimeout>
    const go = async () => {
      const after = next.current
      if (document.visibilityState === 'visible' && after !== null) {
        const result = await dispatch(askLog(id, { after, ...(search === '' ? {} : { searchText: search }) })).catch(
          unreached,
        )
        if (!stands) return
        // That the connection is gone the frame says, and it goes on by itself.
        if (result.kind === 'problem') setProblem(isOffline(result.problem) ? null : result.problem)
        if (result.kind === 'fresh') {
          setProblem(null)
          // Read anew meanwhile, it has those lines already.
          setShown((before) =>
            before?.of === of && before.lines.next === after
              ? { of, lines: withMore(before.lines, result.output) }
              : before,
          )
        }
      }
      timer = setTimeout(() => void go(), followMs)
    }
    timer = setTimeout(() => void go(), followMs)
    return () => {
      stands = false
      clearTimeout(timer)
    }
  }, [dispatch, follow, isOnline, isReady, id, of, search])
  // The lines of the last question stay until those of the next are there.
  return {
    lines: (current ?? shown?.lines) || null,
    isCurrent: current !== null,
    problem,
    isFetching: isFetching && isOnline,
    refetch,
  }
}
