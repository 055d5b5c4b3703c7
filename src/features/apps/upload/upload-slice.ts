import { type AppRow, appListSpec, listApps, publishApps } from '#contract/staff/apps.ts'
import { readActivity } from '#local/jobs/read-jobs.ts'
import type { AppPackages } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'
import { toPageQuery, plainListState } from '#state/list-url.ts'

export const allApps = createCompleteListSlice<AppRow>('apps', listApps)
export const appsQuery = toPageQuery(plainListState(appListSpec))

export const getPackagesPort =
  (): AppThunk<AppPackages> =>
  async (_dispatch, _getState, { packages }) =>
    packages

/** Returns the publication in progress that this page or an earlier one started on this device, or null. */
export async function readPublishing(): Promise<{ percent: number } | null> {
  const activities = await readActivity()
  return activities.find(({ endpoint, isOpen }) => endpoint === publishApps.name && isOpen) ?? null
}
