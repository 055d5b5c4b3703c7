import { listApps, type AppRow } from '#contract/staff/apps.ts'
import type { RowRef } from '#contract/endpoint.ts'
import { deleteModule, getModule, listModules, type ModuleRow, moduleListSpec } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { readRow } from '#local/lists/read-row.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import type { CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'
import { type ModulesView, modulesView } from '#features/modules/view.ts'

const createModulesList = (name: string) =>
  createListSlice<ModuleRow, ModulesView & { type: ClientType }>({
    name,
    endpoint: listModules,
    toQuery: ({ type, ...view }) => ({ ...modulesView.toListQuery(view), type }),
  })
export const modulesList = createModulesList('modules')
export const hiddenModulesList = createModulesList('hiddenModules')

export const allModules = createCompleteListSlice<ModuleRow>('wholeModules', listModules)
export const allApps = createCompleteListSlice<AppRow>('wholeApps', listApps)

/** Fetches a module that is not on this device, for example after a shared link was opened. */
export const fetchModule = (id: RowRef): AppThunk<CallResult<ModuleRow>> => callEndpoint(getModule, { params: { id } })

/** Deletes a module, based on the current version of its row. Offline, the deletion waits in the outbox. */
export const removeModule =
  (id: RowRef): AppThunk<CallResult<unknown>> =>
  async (dispatch) => {
    const storedRow = await readRow<ModuleRow>(moduleListSpec.table, id)
    const baseOption = storedRow
      ? { base: { rowVersion: getBaseVersion(storedRow), values: { name: storedRow.row.name } } }
      : {}
    return await dispatch(callEndpoint(deleteModule, { params: { id } }, baseOption))
  }
