/** Price lists in the store: the list and the calls of its rows. Rows are the device's, and so is a whole list once it was read. */
import type { RowRef } from '#contract/endpoint.ts'
import { listModules, type ModuleRow } from '#contract/modules.ts'
import { deletePriceList, exportPriceList, getPriceList, listPriceLists, type PriceRow } from '#contract/prices.ts'
import { reinstatePriceList } from '#contract/price-lists/withdrawn.ts'
import type { ClientType } from '#domain/access.ts'
import { readList } from '#local/lists/read-list.ts'
import { type OverlaidRow, getBaseVersion } from '#local/lists/list-view.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import type { CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'
import { toListQuery, type PriceListsView } from '#features/prices/list-url.ts'

export const priceListsSlice = createListSlice<PriceRow, PriceListsView & { type: ClientType }>({
  name: 'priceLists',
  endpoint: listPriceLists,
  read: readList,
  toQuery: toListQuery,
})

/** All of them, for what only all can tell: which one is in force, which dates are taken. */
export const allPriceListsSlice = createCompleteListSlice<PriceRow>('wholePriceLists', listPriceLists, readList)
export const allModulesSlice = createCompleteListSlice<ModuleRow>('pricedModules', listModules, readList)

export const fetchPriceList = (id: RowRef) => callEndpoint(getPriceList, { params: { id } })

/** Those that are shown, whole, so that they can be opened without a line: one after the other, and only where it changed. */
export const cacheFullLists =
  (rows: readonly PriceRow[]): AppThunk =>
  async (dispatch) => {
    for (const { id, row_version } of rows) {
      if (typeof id !== 'number') continue
      const cachedList = await readResponseOutput(getPriceList, { params: { id } })
      if (cachedList?.row_version === row_version) continue
      if ((await dispatch(fetchPriceList(id))).kind === 'problem') return
    }
  }

/** Deletes an unconfirmed one, which waits without a line; withdraws a confirmed one, which does not (D81). */
export const removePriceList =
  (overlaidRow: OverlaidRow<PriceRow>): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _getState, { api }) => {
    const { id, confirmed, type, desc, effective_date } = overlaidRow.row
    const base = { rowVersion: getBaseVersion(overlaidRow), values: { type, desc, effective_date } }
    const query = confirmed ? { query: { withdraw: true } } : { query: {} }
    return await api.call(deletePriceList, { params: { id }, ...query }, { base })
  }

/** Makes a withdrawn list count again; never without a connection. */
export const reinstateList =
  (overlaidRow: OverlaidRow<PriceRow>): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _getState, { api }) => {
    const { id, type, desc, effective_date } = overlaidRow.row
    const base = { rowVersion: getBaseVersion(overlaidRow), values: { type, desc, effective_date } }
    return await api.call(reinstatePriceList, { params: { id } }, { base })
  }

/** A key to download it by. */
export const requestExport = (id: RowRef) => callEndpoint(exportPriceList, { body: { id } })
