/** The app history in the store, and the reading of a change log. Rows are the device's and never come here. */
import { listAppHistory } from '#contract/apps.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { queryOf, type View } from '#features/apps/history/list-url.ts'
import { readList } from '#local/lists/read-list.ts'
import type { Result } from '#request/results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'

type Listed = Extract<OutputOf<typeof listAppHistory>, { data: unknown }>
export type VersionRow = Listed['data'][number]

export const historyList = createListSlice<VersionRow, View>({
  name: 'appHistory',
  endpoint: listAppHistory,
  read: readList,
  queryOf,
})

/** The change log of that id as a document for a frame, in the page's present colours. */
export const readChangeLog =
  (id: string): AppThunk<Result<string>> =>
  (_dispatch, _getState, { packages }) =>
    packages.changeLog(id)
