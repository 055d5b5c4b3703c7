import { useCallback, useEffect, useState } from 'react'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import type { CallResult } from '#request/call-results.ts'
import { callEndpoint, offlineResult } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'

/** Like `useServerResponse`, with a function that sends the call again. Until its response arrives, the previous one stays. */
export function useRetriedResponse<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E> | null,
): { response: CallResult<OutputOf<E>> | undefined; retry: () => void } {
  const [attempt, setAttempt] = useState(0)
  const response = useServerResponse(endpoint, input, 0, attempt)
  return { response, retry: useCallback(() => setAttempt((count) => count + 1), []) }
}

/**
 * Returns the response to a call that the device does not store, or undefined until there is one for the current input. It is fetched when
 * the component mounts, when the input changes and when the connection is back. With a null `input` nothing is fetched. An input that is
 * replaced within `delayMs` is not sent. With another `attempt` the call is sent again.
 */
export function useServerResponse<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E> | null,
  delayMs = 0,
  attempt = 0,
): CallResult<OutputOf<E>> | undefined {
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const inputJson = input === null ? null : JSON.stringify(input)
  const [response, setResponse] = useState<{ inputJson: string; result: CallResult<OutputOf<E>> }>()
  // biome-ignore lint: the attempt is not used, its change is the reason
  useEffect(() => {
    if (inputJson === null || !isOnline) return
    let isActive = true
    const timer = setTimeout(async () => {
      const call = callEndpoint(endpoint, JSON.parse(inputJson) as InputOf<E>)
      const result = await dispatch(call).catch(() => offlineResult)
      if (isActive) setResponse({ inputJson, result })
    }, delayMs)
    return () => {
      isActive = false
      clearTimeout(timer)
    }
  }, [dispatch, endpoint, inputJson, isOnline, delayMs, attempt])
  if (!isOnline) return offlineResult
  return response?.inputJson === inputJson ? response.result : undefined
}
