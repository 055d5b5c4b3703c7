import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'

const runOnDevice =
  (action: () => Promise<void>): AppThunk<CallResult<null>> =>
  async () => {
    await action()
    return { kind: 'fresh', output: null }
  }

/** Runs an action on this device's outbox. It is not a server call, so the action reports its own result. */
export const useDeviceAction = () => useAction(runOnDevice)
