/** The own address for calendar programs. Its key is told once and kept nowhere here. */
import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import { endCalendar as endIt, getCalendar, renewCalendar as renewIt } from '#contract/calendars.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { Result } from '#request/result.ts'
import type { Extra, RootState } from '#state/store.ts'

type Thunk<T> = ThunkAction<Promise<Result<T>>, RootState, Extra, UnknownAction>

export const askCalendar =
  (): Thunk<OutputOf<typeof getCalendar>> =>
  (_dispatch, _getState, { api }) =>
    api.ask(getCalendar, {})

export const renewCalendar =
  (): Thunk<OutputOf<typeof renewIt>> =>
  (_dispatch, _getState, { api }) =>
    api.ask(renewIt, {})

export const endCalendar =
  (): Thunk<unknown> =>
  (_dispatch, _getState, { api }) =>
    api.ask(endIt, {})
