/** The catalogue in the store: its two lists, and the asking for all that forms and tests need of it. Rows are the device's. */
import { listApps, type AppRow } from '#contract/apps.ts'
import type { Id } from '#contract/endpoint.ts'
import { deleteModule, getModule, listModules, type ModuleRow, modulesFills } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { readList } from '#local/lists/read-list.ts'
import { readRow } from '#local/lists/read-row.ts'
import { versionOf } from '#local/lists/list-view.ts'
import type { Result } from '#request/results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { createWholeList } from '#state/whole-list.ts'
import { queryOf, type View } from '#features/modules/list-url.ts'

const listing = (name: string) =>
  createListSlice<ModuleRow, View & { type: ClientType }>({ name, endpoint: listModules, read: readList, queryOf })
export const modulesList = listing('modules')
export const hiddenModulesList = listing('hiddenModules')

export const wholeModules = createWholeList<ModuleRow>('wholeModules', listModules, readList)
export const wholeApps = createWholeList<AppRow>('wholeApps', listApps, readList)

/** One that no list brought to this device yet: an address that somebody shared. */
export const askModule =
  (id: Id): AppThunk<Result<unknown>> =>
  (_dispatch, _getState, { api }) =>
    api.call(getModule, { params: { id } })

/** Based on the row as it is at this moment. Waits without a line. */
export const removeModule =
  (id: Id): AppThunk<Result<unknown>> =>
  async (_dispatch, _getState, { api }) => {
    const shown = await readRow<ModuleRow>(modulesFills.table, id)
    const base = shown ? { base: { rowVersion: versionOf(shown), values: { name: shown.row.name } } } : {}
    return await api.call(deleteModule, { params: { id } }, base)
  }
