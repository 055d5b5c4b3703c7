/** The port to what this device keeps of the audit trail. */
import type { TrailKeeper } from '#request/results.ts'
import type { AppThunk } from '#state/app-thunk.ts'

export const trailsPort =
  (): AppThunk<TrailKeeper> =>
  async (_dispatch, _getState, { trails }) =>
    trails()
