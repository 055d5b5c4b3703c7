/** Long requests that a dialog asks for: begun, and followed to their end. */
import type { Endpoint, Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'

/** Of any endpoint, with its input. */
export interface LongRequest {
  endpoint: Endpoint
  input: unknown
}

/** `isStarted`: whether the server has taken it, for a refusal before that is the form's to say. */
export interface LongRequestResult {
  isStarted: boolean
  result: CallResult<unknown>
}

/** Whether nobody can say if the server has it: then the same wish is sent again, and takes effect once. */
export const isOutcomeUnknown = ({ status, code }: Problem): boolean => status === 0 && code !== 'SIGNED_OUT'

/**
 * Asks for it and waits for its end, however long that takes. `onStarted`: the server has taken it, and its progress stands in the
 * row of the task.
 */
export const followLongRequest =
  ({ endpoint, input }: LongRequest, intent: Intent, onStarted: () => void): AppThunk<LongRequestResult> =>
  async (_dispatch, _getState, { api }) => {
    const callUntil = (until: 'started' | 'done') => api.call(endpoint, input as never, { intent, until })
    const startResult = await callUntil('started')
    if (startResult.kind === 'problem') return { isStarted: false, result: startResult }
    onStarted()
    // The same wish once more is the one that runs, and is followed.
    return { isStarted: true, result: startResult.kind === 'started' ? await callUntil('done') : startResult }
  }
