import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'

const runOnDevice =
  (action: () => Promise<void>): AppThunk<CallResult<null>> =>
  async () => {
    await action()
    return { kind: 'fresh', output: null }
  }

/** Runs an action on the outbox of this device. It is no call of the server: how it ended is said by the action itself. */
export const useDeviceAction = () => useAction(runOnDevice)
