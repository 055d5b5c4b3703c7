/** Price lists in the store: the list and the calls of its rows. The rows and the full lists are stored on the device. */
import type { RowRef } from '#contract/endpoint.ts'
import { listModules, type ModuleRow } from '#contract/modules.ts'
import { deletePriceList, getPriceList, listPriceLists, type PriceRow, updatePriceList } from '#contract/prices.ts'
import { reinstatePriceList } from '#contract/catalogue/withdrawn-price-lists.ts'
import type { ClientType } from '#domain/access.ts'
import { type OverlaidRow, getBaseVersion } from '#local/lists/list-view.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import type { CallOptions } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'
import { priceListsView, type PriceListsView } from '#features/prices/price-lists-view.ts'

export const priceListsSlice = createListSlice<PriceRow, PriceListsView & { type: ClientType }>({
  name: 'priceLists',
  endpoint: listPriceLists,
  // Price lists are not searched, whatever the address says.
  toQuery: ({ type, ...view }) => ({ ...priceListsView.toListQuery({ ...view, searchText: '' }), type }),
})

/** Every list, for what only all of them can tell: which one is in force, which dates are taken. */
export const allPriceListsSlice = createCompleteListSlice<PriceRow>('wholePriceLists', listPriceLists)
export const allModulesSlice = createCompleteListSlice<ModuleRow>('pricedModules', listModules)

export const fetchPriceList = (id: RowRef) => callEndpoint(getPriceList, { params: { id } })

/** Fetches these lists one after the other, where they changed, so that they can be opened offline. */
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

/** For a write of a list that sends none of its fields; the values name it. */
const withBase = (overlaidRow: OverlaidRow<PriceRow>, options: CallOptions): CallOptions => {
  const { type, desc, effective_date } = overlaidRow.row
  return { ...options, base: { rowVersion: getBaseVersion(overlaidRow), values: { type, desc, effective_date } } }
}

/** Deletes an unconfirmed list, which may wait offline; withdraws a confirmed one, which may not (D81). */
export function removePriceList(overlaidRow: OverlaidRow<PriceRow>, options: CallOptions) {
  const { id, confirmed } = overlaidRow.row
  const input = { params: { id }, query: confirmed ? { withdraw: true } : {} }
  return callEndpoint(deletePriceList, input, withBase(overlaidRow, options))
}

/** Makes a withdrawn list count again; never without a connection. */
export const reinstateList = (overlaidRow: OverlaidRow<PriceRow>, options: CallOptions) =>
  callEndpoint(reinstatePriceList, { params: { id: overlaidRow.row.id } }, withBase(overlaidRow, options))

/** Takes effect for customers from its day on, so it is never queued (D81). */
export const confirmPriceList = (overlaidRow: OverlaidRow<PriceRow>, options: CallOptions) =>
  callEndpoint(updatePriceList, { body: { id: overlaidRow.row.id, confirmed: true } }, withBase(overlaidRow, options))
