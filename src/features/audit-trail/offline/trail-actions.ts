import type { StoredTrailActions } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'

export const getTrailActions =
  (): AppThunk<StoredTrailActions> =>
  async (_dispatch, _getState, { loadTrailActions }) =>
    loadTrailActions()
