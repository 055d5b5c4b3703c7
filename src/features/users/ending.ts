/** Ending where one of the company's users is logged in (S-46). */
import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import { endUserSessions } from '#contract/sessions.ts'
import type { Result } from '#request/result.ts'
import type { Extra, RootState } from '#state/store.ts'

export const endSessionsOf =
  (id: number): ThunkAction<Promise<Result<unknown>>, RootState, Extra, UnknownAction> =>
  async (_dispatch, _getState, { api }) =>
    api.ask(endUserSessions, { params: { id } })
