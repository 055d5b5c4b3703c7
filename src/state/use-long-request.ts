import { useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'
import { type LongRequestResult, isOutcomeUnknown } from '#state/long-request.ts'

/**
 * Sends one act that takes minutes, from a dialog that stays at least until the server has taken it. `onEnd` hears what it came to,
 * wherever its user is by then; after a reload the list of tasks tells it. `problem`: why the server has not taken it.
 */
export function useLongRequest<Input>(
  send: (input: Input, intent: Intent) => AppThunk<LongRequestResult>,
  onEnd: (result: LongRequestResult['result'], input: Input, intent: Intent) => void,
) {
  const dispatch = useDispatch()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  // The wish whose answer was lost goes under its intent again.
  const [unknownRequest, setUnknownRequest] = useState<{ intent: Intent; inputJson: string } | null>(null)

  async function sendInput(input: Input) {
    const inputJson = JSON.stringify(input)
    const intent = unknownRequest?.inputJson === inputJson ? unknownRequest.intent : crypto.randomUUID()
    setIsBusy(true)
    setProblem(null)
    const { isStarted, result } = await dispatch(send(input, intent))
    setIsBusy(false)
    if (isStarted) return onEnd(result, input, intent)
    if (result.kind !== 'problem') return
    setUnknownRequest(isOutcomeUnknown(result.problem) ? { intent, inputJson } : null)
    setProblem(result.problem)
  }
  return { isBusy, problem, run: (input: Input) => void sendInput(input) }
}
