/** The own address for calendar programs. Its key is told once and kept nowhere here. */
import { endCalendar as endIt, getCalendar, renewCalendar as renewIt } from '#contract/calendars.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'

export const fetchCalendar =
  (): AppThunk<CallResult<OutputOf<typeof getCalendar>>> =>
  (_dispatch, _getState, { api }) =>
    api.call(getCalendar, {})

export const renewCalendar =
  (): AppThunk<CallResult<OutputOf<typeof renewIt>>> =>
  (_dispatch, _getState, { api }) =>
    api.call(renewIt, {})

export const endCalendar =
  (): AppThunk<CallResult<unknown>> =>
  (_dispatch, _getState, { api }) =>
    api.call(endIt, {})
