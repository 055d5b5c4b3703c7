import { useCallback, useRef, useState } from 'react'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { PlainDate } from '#domain/time.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import type { CallResult } from '#request/call-results.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { getBusinessNow } from '#ui/page/business-clock.ts'
import { useFetch } from '#state/use-fetch.ts'

export interface TrailResponse<O> {
  output: O
  /** Server time, epoch ms. */
  asOf: number
  isCached: boolean
  /** Set if only these days of a longer range are included; `to` null means up to `asOf`. */
  days?: { from: PlainDate; to: PlainDate | null }
}

interface ResponseState<O> {
  inputJson: string
  response: TrailResponse<O> | null
  problem: Problem | null
}

/**
 * Reads the trail. First it returns the stored response to the same input, then the response of the pipeline, which may come from the days
 * stored on this device (`useRecord` does not use such days). `response` is undefined until one of them has arrived, and null if neither
 * exists. `previousResponse` may belong to an earlier input. With a null `input`, nothing is requested. A new `refreshKey` repeats the
 * request.
 */
export function useTrailResponse<E extends Endpoint>(endpoint: E, input: InputOf<E> | null, refreshKey = '') {
  const dispatch = useDispatch()
  const isOffline = useConnection().networkState !== 'online'
  const [state, setState] = useState<ResponseState<OutputOf<E>> | null>(null)
  const [busyInput, setBusyInput] = useState<string | null>(null)
  // Number of the latest request. Responses of earlier requests are ignored.
  const latestRequest = useRef(0)
  const inputJson = input && JSON.stringify(input)
  const refetch = useCallback(() => {
    if (inputJson === null) return
    latestRequest.current += 1
    const requestNumber = latestRequest.current
    const isLatest = () => requestNumber === latestRequest.current
    const parsedInput = JSON.parse(inputJson) as InputOf<E>
    setBusyInput(inputJson)
    void readAgedResponse(endpoint, parsedInput).then((cachedResponse) => {
      if (!cachedResponse || !isLatest()) return
      const response = { ...cachedResponse, isCached: true }
      // A stored response never replaces a newer one.
      setState((current) =>
        current?.inputJson === inputJson && current.response ? current : { inputJson, response, problem: null },
      )
    })
    // Code that cannot be loaded is reported like an unreachable server.
    const toOfflineResult = (): CallResult<OutputOf<E>> => ({ kind: 'problem', problem: createLocalProblem('OFFLINE') })
    void dispatch(callEndpoint(endpoint, parsedInput))
      .catch(toOfflineResult)
      .then((result) => {
        if (!isLatest()) return
        setBusyInput(null)
        setState((current) => {
          const response = toTrailResponse(result)
          const previousResponse = current?.inputJson === inputJson ? current.response : null
          return { inputJson, response: response ?? previousResponse, problem: getProblem(result) }
        })
      })
    // `refreshKey` is not used here: a new value only requests again.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [dispatch, endpoint, inputJson, refreshKey])
  useFetch(refetch, inputJson === null)
  const isForInput = state !== null && state.inputJson === inputJson
  return {
    response: isForInput ? state.response : undefined,
    previousResponse: state?.response ?? null,
    problem: isForInput ? state.problem : null,
    // Offline, the device responds immediately, so the page shows no progress.
    isFetching: busyInput !== null && !isOffline,
    refetch,
  }
}

const getProblem = (result: CallResult<unknown>): Problem | null =>
  result.kind === 'problem' || result.kind === 'cached' ? (result.problem ?? null) : null

function toTrailResponse<O>(result: CallResult<O>): TrailResponse<O> | null {
  if (result.kind === 'fresh') return { output: result.output, asOf: getBusinessNow(), isCached: false }
  if (result.kind !== 'cached' || result.output === null) return null
  const { output, asOf, days } = result
  return { output, asOf, isCached: true, ...(days ? { days } : {}) }
}
