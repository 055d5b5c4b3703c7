import { useRef, useState } from 'react'
import type { Endpoint, InputOf, Intent, OutputOf } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint, unreachableResult } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'

type ActionSource<Input, Output> = (input: Input, options: CallOptions) => AppThunk<CallResult<Output>>

interface LongActionOptions<Input, Output> {
  /** Called when the server has accepted the call. Its progress is in the list of tasks. */
  onStarted: (input: Input) => void
  /** Called when the accepted call has ended, on any page. After a reload only the list of tasks shows the result. */
  onEnd: (result: CallResult<Output>, input: Input, intent: Intent) => void
}

interface Action<Input, Output> {
  isBusy: boolean
  /** Problem of the last run, until the next run starts. For a long call it is the problem of its start. */
  problem: Problem | null
  /** For a long call this resolves to the result of its start. Its final result is passed to `onEnd` only. */
  run: (input: Input, options?: CallOptions) => Promise<CallResult<Output>>
  clearProblem: () => void
}

/**
 * Returns true if it is unknown whether the server has received the request. If sent again with the same intent, it takes effect only once.
 */
export const isOutcomeUnknown = ({ status, code }: Problem): boolean => status === 0 && code !== 'SIGNED_OUT'

/**
 * An action of a page with its state. With `longAction` the call takes minutes and is followed to its end. If the response to its start was
 * lost, the next run with the same input has the same intent. Any other run is a new call: whether a call may be repeated depends on more
 * than the input, so a page that repeats a lost call passes its intent in the options.
 */
export function useAction<E extends Endpoint>(
  endpoint: E,
  longAction?: LongActionOptions<InputOf<E>, OutputOf<E>>,
): Action<InputOf<E>, OutputOf<E>>
export function useAction<Input, Output>(
  source: ActionSource<Input, Output>,
  longAction?: LongActionOptions<Input, Output>,
): Action<Input, Output>
export function useAction<Input, Output>(
  source: Endpoint | ActionSource<Input, Output>,
  longAction?: LongActionOptions<Input, Output>,
): Action<Input, Output> {
  const dispatch = useDispatch()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const runningCount = useRef(0)
  const lostStartRef = useRef<{ intent: Intent; inputJson: string } | null>(null)

  const send = (input: Input, options: CallOptions): Promise<CallResult<Output>> =>
    dispatch(
      typeof source === 'function'
        ? source(input, options)
        : (callEndpoint(source, input as never, options) as AppThunk<CallResult<Output>>),
    ).catch(() => unreachableResult)

  /** Starts a long call and waits for its end. A second call with the same intent only waits for the result of the first. */
  async function follow({ onStarted, onEnd }: LongActionOptions<Input, Output>, input: Input, options: CallOptions) {
    const inputJson = JSON.stringify(input)
    const { current: lostStart } = lostStartRef
    const intent = options.intent ?? (lostStart?.inputJson === inputJson ? lostStart.intent : crypto.randomUUID())
    const startResult = await send(input, { ...options, intent, until: 'started' })
    const isLost = startResult.kind === 'problem' && isOutcomeUnknown(startResult.problem)
    lostStartRef.current = isLost ? { intent, inputJson } : null
    if (startResult.kind === 'problem') return startResult
    onStarted(input)
    onEnd(startResult.kind === 'started' ? await send(input, { ...options, intent }) : startResult, input, intent)
    return startResult
  }

  async function run(input: Input, options: CallOptions = {}): Promise<CallResult<Output>> {
    runningCount.current += 1
    setIsBusy(true)
    setProblem(null)
    const result = await (longAction ? follow(longAction, input, options) : send(input, options))
    runningCount.current -= 1
    setIsBusy(runningCount.current > 0)
    if (result.kind === 'problem') setProblem(result.problem)
    return result
  }
  return { isBusy, problem, run, clearProblem: () => setProblem(null) }
}
