import { useCallback, useEffect, useRef, useState } from 'react'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { callEndpoint, offlineResult } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'

/**
 * Returns the response to a call that the device never stores. It is requested when the component mounts, when the input changes, when a
 * pause ends, and by `reload`. The previous response is returned until the next one arrives. With `isPaused` (for example without a
 * connection), only `reload` sends a request.
 */
export function useOnlineResponse<E extends Endpoint>(endpoint: E, input: InputOf<E>, isPaused = false) {
  const dispatch = useDispatch()
  const [response, setResponse] = useState<OutputOf<E> | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const latestRequestId = useRef(0)
  const inputJson = JSON.stringify(input)
  const reload = useCallback(async () => {
    const requestId = ++latestRequestId.current
    const result = await dispatch(callEndpoint(endpoint, JSON.parse(inputJson) as InputOf<E>)).catch(
      () => offlineResult,
    )
    if (requestId !== latestRequestId.current) return
    if (result.kind === 'fresh') setResponse(result.output)
    setProblem(result.kind === 'problem' ? result.problem : null)
  }, [dispatch, endpoint, inputJson])
  useEffect(() => {
    if (!isPaused) void reload()
  }, [reload, isPaused])
  return { response, problem, reload }
}
