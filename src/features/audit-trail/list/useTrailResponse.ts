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
  /** Epoch ms: when the server said so. */
  asOf: number
  /** The device's word and not the server's. */
  isCached: boolean
  /** Of these days alone, where more were asked for; `to` null: up to `asOf`. */
  days?: { from: PlainDate; to: PlainDate | null }
}

interface ResponseState<O> {
  /** The input that was asked for, as JSON. */
  inputJson: string
  response: TrailResponse<O> | null
  problem: Problem | null
}

/**
 * What a reading answers to an input: at first what the device kept of the very same question, then what the pipeline says,
 * from the server or from the device. `response` is undefined until either of them has spoken; null: neither has anything.
 * The last answer stays, as `previousResponse`, while the next is on its way. `input` null: nothing is asked.
 */
export function useTrailResponse<E extends Endpoint>(endpoint: E, input: InputOf<E> | null) {
  const dispatch = useDispatch()
  const isOffline = useConnection().networkState !== 'online'
  const [state, setState] = useState<ResponseState<OutputOf<E>> | null>(null)
  const [busyInput, setBusyInput] = useState<string | null>(null)
  // Only the last question is listened to.
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
      // Nothing older takes the place of what is shown of this question.
      setState((current) =>
        current?.inputJson === inputJson && current.response ? current : { inputJson, response, problem: null },
      )
    })
    // What is thrown is code that could not be fetched, which is as out of reach as the server.
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
  }, [dispatch, endpoint, inputJson])
  useFetch(refetch, inputJson === null)
  const isForInput = state !== null && state.inputJson === inputJson
  return {
    response: isForInput ? state.response : undefined,
    previousResponse: state?.response ?? null,
    problem: isForInput ? state.problem : null,
    // Offline nothing is waited for: what the device has is there at once.
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
