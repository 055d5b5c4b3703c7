import { useCallback, useRef, useState } from 'react'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import type { PlainDate } from '#domain/time.ts'
import { readAged } from '#local/lists/responses.ts'
import type { Result } from '#request/results.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { businessNow } from '#ui/page/business-clock.ts'
import { useFetch } from '#state/use-fetch.ts'

export interface Answer<O> {
  output: O
  /** Epoch ms: when the server said so. */
  asOf: number
  /** The device's word and not the server's. */
  isKept: boolean
  /** Of these days alone, where more were asked for; `to` null: up to `asOf`. */
  days?: { from: PlainDate; to: PlainDate | null }
}

interface State<O> {
  /** The input that was asked for, as JSON. */
  of: string
  answer: Answer<O> | null
  problem: Problem | null
}

/**
 * What a reading answers to an input: at first what the device kept of the very same question, then what the pipeline says,
 * from the server or from the device. `answer` is undefined until either of them has spoken; null: neither has anything.
 * The last answer stays, as `earlier`, while the next is on its way. `input` null: nothing is asked.
 */
export function useAnswer<E extends Endpoint>(endpoint: E, input: InputOf<E> | null) {
  const dispatch = useDispatch()
  const isOffline = useConnection().line !== 'online'
  const [state, setState] = useState<State<OutputOf<E>> | null>(null)
  const [busy, setBusy] = useState<string | null>(null)
  // Only the last question is listened to.
  const latest = useRef(0)
  const json = input && JSON.stringify(input)
  const refetch = useCallback(() => {
    if (json === null) return
    latest.current += 1
    const asked = latest.current
    const counts = () => asked === latest.current
    const asks = JSON.parse(json) as InputOf<E>
    setBusy(json)
    void readAged(endpoint, asks).then((kept) => {
      if (!kept || !counts()) return
      const answer = { ...kept, isKept: true }
      // Nothing older takes the place of what is shown of this question.
      setState((now) => (now?.of === json && now.answer ? now : { of: json, answer, problem: null }))
    })
    // What is thrown is code that could not be fetched, which is as out of reach as the server.
    const failed = (): Result<OutputOf<E>> => ({ kind: 'problem', problem: localProblem('OFFLINE') })
    void dispatch(callEndpoint(endpoint, asks))
      .catch(failed)
      .then((result) => {
        if (!counts()) return
        setBusy(null)
        setState((now) => {
          const answer = answerOf(result)
          const before = now?.of === json ? now.answer : null
          return { of: json, answer: answer ?? before, problem: problemIn(result) }
        })
      })
  }, [dispatch, endpoint, json])
  useFetch(refetch, json === null)
  const isOwn = state !== null && state.of === json
  return {
    answer: isOwn ? state.answer : undefined,
    earlier: state?.answer ?? null,
    problem: isOwn ? state.problem : null,
    // Offline nothing is waited for: what the device has is there at once.
    isFetching: busy !== null && !isOffline,
    refetch,
  }
}

const problemIn = (result: Result<unknown>): Problem | null =>
  result.kind === 'problem' || result.kind === 'kept' ? (result.problem ?? null) : null

function answerOf<O>(result: Result<O>): Answer<O> | null {
  if (result.kind === 'fresh') return { output: result.output, asOf: businessNow(), isKept: false }
  if (result.kind !== 'kept' || result.output === null) return null
  const { output, asOf, days } = result
  return { output, asOf, isKept: true, ...(days ? { days } : {}) }
}
