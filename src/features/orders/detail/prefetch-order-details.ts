import { getContractHistory, listOrders } from '#contract/orders.ts'
import { getPriceInForce } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { ordersView, toListQuery } from '#features/orders/view.ts'
import { readOrders } from '#features/orders/read-orders.ts'
import { fetchPriceData, fetchPriceInForce } from '#features/orders/slice.ts'

/** Maximum age of data that is not fetched again, ms. Opening a page fetches its data anyway. */
const recentMs = 24 * 3_600_000
/** Maximum number of contracts, newest first. The history of each contract needs its own request. */
const maxContracts = 50
const view = { ...ordersView.defaultView, results: maxContracts }

/**
 * Fetches the list, the contract histories and the prices, so that the page of each contract in effect and of each unpaid order opens
 * offline and can calculate a change. Stops at the first request without a fresh response.
 */
export const prefetchOrderDetails =
  (companyId: number, type: ClientType): AppThunk =>
  async (dispatch, _getState, { api }) => {
    const isRecent = (asOf: number | null | undefined) => (asOf ?? 0) > Date.now() - recentMs
    const { asOf } = await readOrders(companyId, type, view)
    const price = await readAgedResponse(getPriceInForce, { query: { type } })
    // Prices come first: without a price list on the device no contract can be opened (M68), and the home page has already stored contracts.
    await Promise.all([
      ...(isRecent(price?.asOf) ? [] : [dispatch(fetchPriceInForce(type)), dispatch(fetchPriceData(type))]),
      ...(isRecent(asOf) ? [] : [api.call(listOrders, { params: { companyId }, query: toListQuery(type, view) })]),
    ])
    const { rows } = await readOrders(companyId, type, view)
    for (const { row } of rows) {
      if (row.state !== 'effective') continue
      const input = { params: { id: row.contract_id } }
      if (isRecent((await readAgedResponse(getContractHistory, input))?.asOf)) continue
      const { kind } = await api.call(getContractHistory, input)
      if (kind !== 'fresh') return
    }
  }
