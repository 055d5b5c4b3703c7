/** What the page asks about the own sessions. Nothing of it is kept: it is only true while the server says it. */
import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import { endOtherSessions, endSession, listSessions, type SessionRow } from '#contract/sessions.ts'
import type { Result } from '#request/result.ts'
import type { Extra, RootState } from '#state/store.ts'

type Thunk<T> = ThunkAction<Promise<T>, RootState, Extra, UnknownAction>

export const readSessions =
  (): Thunk<Result<SessionRow[]>> =>
  async (_dispatch, _getState, { api }) =>
    api.ask(listSessions, {})

export const endOne =
  (id: string): Thunk<Result<unknown>> =>
  async (_dispatch, _getState, { api }) =>
    api.ask(endSession, { params: { id } })

export const endOthers =
  (): Thunk<Result<unknown>> =>
  async (_dispatch, _getState, { api }) =>
    api.ask(endOtherSessions, {})
