import { useRef, useState } from 'react'
import type { Endpoint, InputOf, Intent, OutputOf } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'

/** What a page does at the server: an endpoint, or a thunk over one or several calls. */
type ActionSource<Input, Output> = (input: Input, options: CallOptions) => AppThunk<CallResult<Output>>

interface LongActionOptions<Input, Output> {
  /** The server has accepted the call, and its progress is in the list of tasks. */
  onStarted: (input: Input) => void
  /** The accepted call has ended, wherever its user is by then; after a reload the list of tasks says so. */
  onEnd: (result: CallResult<Output>, input: Input, intent: Intent) => void
}

interface Action<Input, Output> {
  isBusy: boolean
  /** Why the latest run was refused; null while one runs. What a long call ended with is given to `onEnd` alone. */
  problem: Problem | null
  /** Resolves to the result; of a long call to that of its start, unless it failed there once it has ended. */
  run: (input: Input, options?: CallOptions) => Promise<CallResult<Output>>
  clearProblem: () => void
}

/** Whether nobody can say if the server has it: then the same request is sent again under its intent, and takes effect once. */
export const isOutcomeUnknown = ({ status, code }: Problem): boolean => status === 0 && code !== 'SIGNED_OUT'

/** Code that is loaded when first needed may be as unreachable as the server. */
const unreachableResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('NEEDS_CONNECTION') }

/**
 * One action of a page, with its state. With `longAction` the call takes minutes and is followed to its end; if the response of its
 * start was lost, the next run with the same input has the same intent. Any other run is a call of its own: what may be repeated
 * depends on more than the input, so a page that repeats a lost call gives its intent in the options.
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
  const latestRunId = useRef(0)
  const lostStartRef = useRef<{ intent: Intent; inputJson: string } | null>(null)

  const send = (input: Input, options: CallOptions): Promise<CallResult<Output>> =>
    dispatch(
      typeof source === 'function'
        ? source(input, options)
        : (callEndpoint(source, input as never, options) as AppThunk<CallResult<Output>>),
    ).catch(() => unreachableResult)

  /** The intent names the call for `onEnd`, and follows it: sent once more, it waits for the call that runs. */
  async function follow({ onStarted, onEnd }: LongActionOptions<Input, Output>, input: Input, options: CallOptions) {
    const inputJson = JSON.stringify(input)
    const { current: lostStart } = lostStartRef
    const intent = options.intent ?? (lostStart?.inputJson === inputJson ? lostStart.intent : crypto.randomUUID())
    const startResult = await send(input, { ...options, intent, until: 'started' })
    const isLost = startResult.kind === 'problem' && isOutcomeUnknown(startResult.problem)
    lostStartRef.current = isLost ? { intent, inputJson } : null
    if (startResult.kind === 'problem') return startResult
    onStarted(input)
    const result = startResult.kind === 'started' ? await send(input, { ...options, intent }) : startResult
    setIsBusy(false)
    onEnd(result, input, intent)
    return startResult
  }

  async function run(input: Input, options: CallOptions = {}): Promise<CallResult<Output>> {
    const runId = ++latestRunId.current
    setIsBusy(true)
    setProblem(null)
    const result = await (longAction ? follow(longAction, input, options) : send(input, options))
    // Of runs that overlap only the latest changes the state.
    if (runId !== latestRunId.current) return result
    setIsBusy(false)
    if (result.kind === 'problem') setProblem(result.problem)
    return result
  }
  return { isBusy, problem, run, clearProblem: () => setProblem(null) }
}
