/** Ending where one of the company's users is logged in (S-46). */
import { endUserSessions } from '#contract/sessions.ts'
import type { Result } from '#request/results.ts'
import type { AppThunk } from '#state/app-thunk.ts'

export const endSessionsOf =
  (id: number): AppThunk<Result<unknown>> =>
  async (_dispatch, _getState, { api }) =>
    api.call(endUserSessions, { params: { id } })
