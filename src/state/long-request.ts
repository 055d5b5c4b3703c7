/** Long requests that a dialog asks for: begun, and followed to their end. */
import type { Endpoint, Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { Result } from '#request/results.ts'
import type { AppThunk } from '#state/app-thunk.ts'

/** Of any endpoint, with its input. */
export interface Asked {
  endpoint: Endpoint
  input: unknown
}

/** `begun`: whether the server has taken it, for a refusal before that is the form's to say. */
export interface Followed {
  begun: boolean
  result: Result<unknown>
}

/** Whether nobody can say if the server has it: then the same wish is sent again, and takes effect once. */
export const isInDoubt = ({ status, code }: Problem): boolean => status === 0 && code !== 'SIGNED_OUT'

/**
 * Asks for it and waits for its end, however long that takes. `onStarted`: the server has taken it, and its progress stands in the
 * row of the task.
 */
export const beginAndFollow =
  ({ endpoint, input }: Asked, intent: Intent, onStarted: () => void): AppThunk<Followed> =>
  async (_dispatch, _getState, { api }) => {
    const ask = (until: 'started' | 'done') => api.call(endpoint, input as never, { intent, until })
    const first = await ask('started')
    if (first.kind === 'problem') return { begun: false, result: first }
    onStarted()
    // The same wish once more is the one that runs, and is followed.
    return { begun: true, result: first.kind === 'started' ? await ask('done') : first }
  }
