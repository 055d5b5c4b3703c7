/** The apps that uploaded files are compared with, and what the server and this device know of uploads. Files are the queue's (upload-queue.ts). */
import { type AppRow, appListSpec, listApps, publishApps } from '#contract/apps.ts'
import { readActivity } from '#local/jobs/read-jobs.ts'
import type { AppPackages } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'
import { toPageQuery, plainListState } from '#state/list-url.ts'

export const allApps = createCompleteListSlice<AppRow>('apps', listApps)
export const appsQuery = toPageQuery(plainListState(appListSpec))

/** How the upload queue sends packages. */
export const getPackagesPort =
  (): AppThunk<AppPackages> =>
  async (_dispatch, _getState, { packages }) =>
    packages

/** The publishing that runs on this device, from this page or an earlier one; null: none runs. */
export async function readPublishing(): Promise<{ percent: number } | null> {
  const activities = await readActivity()
  return activities.find(({ endpoint, isOpen }) => endpoint === publishApps.name && isOpen) ?? null
}
