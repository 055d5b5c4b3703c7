/** State and calls of the price lists. The rows and the full lists are stored on the device. */
import type { RowRef } from '#contract/endpoint.ts'
import { listModules, type ModuleRow } from '#contract/modules.ts'
import { deletePriceList, getPriceList, listPriceLists, type PriceRow, updatePriceList } from '#contract/prices.ts'
import { reinstatePriceList } from '#contract/staff/withdrawn-price-lists.ts'
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
  // Price lists cannot be searched, so a search text in the address is ignored.
  toQuery: ({ type, ...view }) => ({ ...priceListsView.toListQuery({ ...view, searchText: '' }), type }),
})

/** Fetches all lists, which are needed to determine the list in force and the dates that are taken. */
export const allPriceListsSlice = createCompleteListSlice<PriceRow>('wholePriceLists', listPriceLists)
export const allModulesSlice = createCompleteListSlice<ModuleRow>('pricedModules', listModules)

export const fetchPriceList = (id: RowRef) => callEndpoint(getPriceList, { params: { id } })

/** Fetches the changed lists in full, one after the other, so that they can be opened offline. */
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

/** Adds the base of a write that sends no fields of the list. Its values identify the list to the user. */
const withBase = (overlaidRow: OverlaidRow<PriceRow>, options: CallOptions): CallOptions => {
  const { type, desc, effective_date } = overlaidRow.row
  return { ...options, base: { rowVersion: getBaseVersion(overlaidRow), values: { type, desc, effective_date } } }
}

/** Deletes an unconfirmed list, which can be queued offline, or withdraws a confirmed one, which cannot (D81). */
export function removePriceList(overlaidRow: OverlaidRow<PriceRow>, options: CallOptions) {
  const { id, confirmed } = overlaidRow.row
  const input = { params: { id }, query: confirmed ? { withdraw: true } : {} }
  return callEndpoint(deletePriceList, input, withBase(overlaidRow, options))
}

/** Reinstates a withdrawn list. Never queued. */
export const reinstateList = (overlaidRow: OverlaidRow<PriceRow>, options: CallOptions) =>
  callEndpoint(reinstatePriceList, { params: { id: overlaidRow.row.id } }, withBase(overlaidRow, options))

/** Confirms a list. It affects customers from its effective date, so it is never queued (D81). */
export const confirmPriceList = (overlaidRow: OverlaidRow<PriceRow>, options: CallOptions) =>
  callEndpoint(updatePriceList, { body: { id: overlaidRow.row.id, confirmed: true } }, withBase(overlaidRow, options))
