/** Ending where one of the company's users is logged in (S-46). */
import { endUserSessions } from '#contract/sessions.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'

export const endSessionsOfUser =
  (id: number): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _getState, { api }) =>
    api.call(endUserSessions, { params: { id } })
