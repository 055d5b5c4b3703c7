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

const fileKeys = new WeakMap<Blob, string>()

function getFileKey(file: Blob): string {
  const key = fileKeys.get(file) ?? crypto.randomUUID()
  fileKeys.set(file, key)
  return key
}

/** Inputs with the same text are the same. JSON has nothing of a file, so a key identifies it. */
const toInputJson = (input: unknown): string =>
  JSON.stringify(input, (_name, value: unknown) => (value instanceof Blob ? getFileKey(value) : value))

/** Code that is loaded when first needed may be as unreachable as the server. */
const unreachableResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('NEEDS_CONNECTION') }

/**
 * One action of a page, with its state. With `longAction` the call takes minutes and is followed to its end. A run whose response
 * was lost keeps its intent for the next run with the same input.
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
  const unknownRequest = useRef<{ intent: Intent; inputJson: string } | null>(null)

  const send = (input: Input, options: CallOptions): Promise<CallResult<Output>> =>
    dispatch(
      typeof source === 'function'
        ? source(input, options)
        : (callEndpoint(source, input as never, options) as AppThunk<CallResult<Output>>),
    ).catch(() => unreachableResult)

  /** The intent names the call for `onEnd`, and follows it: sent once more, it waits for the call that runs. */
  async function follow({ onStarted, onEnd }: LongActionOptions<Input, Output>, input: Input, options: CallOptions) {
    const intent = options.intent ?? crypto.randomUUID()
    const startResult = await send(input, { ...options, intent, until: 'started' })
    if (startResult.kind === 'problem') return { ...startResult, intent }
    onStarted(input)
    const result = startResult.kind === 'started' ? await send(input, { ...options, intent }) : startResult
    setIsBusy(false)
    onEnd(result, input, intent)
    return startResult
  }

  async function run(input: Input, options: CallOptions = {}): Promise<CallResult<Output>> {
    const inputJson = toInputJson(input)
    const { current: lastRequest } = unknownRequest
    // The response of a secret call is not stored: repeated under its intent it would be empty.
    const isRepeatable = typeof source === 'function' || !source.secret
    const repeatedRequest = isRepeatable && lastRequest?.inputJson === inputJson ? lastRequest : null
    const intent = options.intent ?? repeatedRequest?.intent
    const callOptions = intent === undefined ? options : { ...options, intent }
    const runId = ++latestRunId.current
    setIsBusy(true)
    setProblem(null)
    const result = await (longAction ? follow(longAction, input, callOptions) : send(input, callOptions))
    // Of runs that overlap only the latest changes the state.
    if (runId !== latestRunId.current) return result
    setIsBusy(false)
    unknownRequest.current = null
    if (result.kind === 'problem') {
      setProblem(result.problem)
      if (result.intent && isOutcomeUnknown(result.problem))
        unknownRequest.current = { intent: result.intent, inputJson }
    }
    return result
  }
  return { isBusy, problem, run, clearProblem: () => setProblem(null) }
}
