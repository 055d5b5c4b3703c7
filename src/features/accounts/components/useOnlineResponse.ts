import { useCallback, useEffect, useRef, useState } from 'react'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'

/**
 * The response of a call that the device never stores, requested when the component comes and by `reload`. `input` null: not now;
 * the last response stays.
 */
export function useOnlineResponse<E extends Endpoint>(endpoint: E, input: InputOf<E> | null) {
  const dispatch = useDispatch()
  const [response, setResponse] = useState<OutputOf<E> | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const latestRequestId = useRef(0)
  const inputJson = JSON.stringify(input)
  const reload = useCallback(async () => {
    const currentInput = JSON.parse(inputJson) as InputOf<E> | null
    if (currentInput === null) return
    const requestId = ++latestRequestId.current
    const result = await dispatch(callEndpoint(endpoint, currentInput))
    if (requestId !== latestRequestId.current) return
    if (result.kind === 'fresh') setResponse(result.output)
    setProblem(result.kind === 'problem' ? result.problem : null)
  }, [dispatch, endpoint, inputJson])
  useEffect(() => void reload(), [reload])
  return { response, problem, reload }
}
