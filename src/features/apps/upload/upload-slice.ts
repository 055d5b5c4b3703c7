/** Uploading in the store: the apps that files are compared with, and how a publishing stands. Files are the queue's (upload-queue.ts). */
import { createSlice } from '@reduxjs/toolkit'
import { type AppRow, appListSpec, listApps, listUploads, publishApps } from '#contract/apps.ts'
import type { Problem } from '#contract/problem.ts'
import { readList } from '#local/lists/read-list.ts'
import { readActivity } from '#local/jobs/read-jobs.ts'
import type { AppPackages } from '#request/call-results.ts'
import { type AppThunk, callEndpoint, createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { type ListUrlState, toPageQuery, plainListState } from '#state/list-url.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'

export const appsList = createListSlice<AppRow, ListUrlState>({
  name: 'apps',
  endpoint: listApps,
  read: readList,
  toQuery: toPageQuery,
})
export const appsListing = plainListState(appListSpec)

/** All that the device holds of the catalogue, and as of when. */
export const readApps = () => appsList.readPage(null, { ...toPageQuery(appsListing), results: 100_000 })

export const fetchUploads = () => callEndpoint(listUploads, {})

/** How packages travel; the queue takes it along. */
export const getPackagesPort =
  (): AppThunk<AppPackages> =>
  async (_dispatch, _getState, { packages }) =>
    packages

/** Asks for it and waits for its end, however long that takes; its progress stands in the row of the task. */
export const publish = createAppThunk(
  'upload/publish',
  async (modules: string[], { extra: { api }, rejectWithValue }) => {
    const result = await api.call(publishApps, { body: { modules, progressKey: crypto.randomUUID() } })
    if (result.kind === 'problem') return rejectWithValue(result.problem)
    return result.kind === 'fresh' ? result.output : []
  },
)

/** The publishing that runs on this device, begun here or before the page was opened; null: none does. */
export async function readPublishing(): Promise<{ percent: number } | null> {
  const activities = await readActivity()
  return activities.find(({ endpoint, isOpen }) => endpoint === publishApps.name && isOpen) ?? null
}

interface UploadState {
  isPublishing: boolean
  problem: Problem | null
}
const initialState: UploadState = { isPublishing: false, problem: null }

const uploadSlice = createSlice({
  name: 'upload',
  initialState,
  reducers: { problemDropped: (state) => ({ ...state, problem: null }) },
  extraReducers: (builder) =>
    builder
      .addCase(publish.pending, () => ({ isPublishing: true, problem: null }))
      .addCase(publish.fulfilled, () => initialState)
      .addCase(publish.rejected, (_, action) => ({ isPublishing: false, problem: getRejectedProblem(action) }))
      .addCase(signedOut, () => initialState),
})

export const { problemDropped } = uploadSlice.actions
const injectedSlice = uploadSlice.injectInto(rootReducer)
/** Of the whole state, whose type no feature knows. */
export const selectUpload = (state: object): UploadState => injectedSlice.selectSlice(state)
