import { useCallback, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { listSessions, type SessionRow } from '#contract/sessions.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useFetch } from '#state/use-fetch.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'

/** The user's own sessions, which the device does not store. Null until the server has responded. */
export function useSessionRows() {
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const [rows, setRows] = useState<readonly SessionRow[] | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const readRows = useCallback(async () => {
    const result = await dispatch(callEndpoint(listSessions, {}))
    setProblem(result.kind === 'problem' ? result.problem : null)
    if (result.kind === 'fresh') setRows(result.output)
  }, [dispatch])
  useFetch(
    useCallback(() => void readRows(), [readRows]),
    !isOnline,
  )
  return { rows, problem, readRows }
}
