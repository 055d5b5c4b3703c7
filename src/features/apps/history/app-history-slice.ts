/** State of the app history, and the reading of a change log. Rows stay on the device and never enter the store. */
import { listAppHistory } from '#contract/staff/apps.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { appHistoryView } from '#features/apps/history/app-history-view.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import type { ListUrlState } from '#state/list-url.ts'

type HistoryPage = Extract<OutputOf<typeof listAppHistory>, { data: unknown }>
export type VersionRow = HistoryPage['data'][number]

export const historyList = createListSlice<VersionRow, ListUrlState>({
  name: 'appHistory',
  endpoint: listAppHistory,
  toQuery: appHistoryView.toListQuery,
})

/** Returns the change log with this id as a document for a frame, in the current colours of the page. */
export const readChangeLog =
  (id: string): AppThunk<CallResult<string>> =>
  (_dispatch, _getState, { packages }) =>
    packages.fetchChangeLog(id)
