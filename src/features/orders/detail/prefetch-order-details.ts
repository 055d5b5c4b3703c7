/** Stores on the device what the order pages display, before one of them is opened. */
import { getContractHistory, listOrders } from '#contract/orders.ts'
import { getPriceInForce } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { ordersView, toListQuery } from '#features/orders/view.ts'
import { readOrders } from '#features/orders/read-orders.ts'
import { fetchPriceData, fetchPriceInForce } from '#features/orders/slice.ts'

/** Data younger than this is not fetched again, ms. An opened page fetches it anyway. */
const recentMs = 24 * 3_600_000
/** The newest contracts: each is a request of its own. */
const maxContracts = 50
const view = { ...ordersView.defaultView, results: maxContracts }

/**
 * The list, the histories of the contracts in effect and the prices: with them the page of each contract in effect and of each
 * unpaid order opens offline, and calculates a change. One request after the other; ends with the first that has no fresh response.
 */
export const prefetchOrderDetails =
  (companyId: number, type: ClientType): AppThunk =>
  async (dispatch, _getState, { api }) => {
    const isRecent = (asOf: number | null | undefined) => (asOf ?? 0) > Date.now() - recentMs
    const { asOf } = await readOrders(companyId, type, view)
    if (!isRecent(asOf)) await api.call(listOrders, { params: { companyId }, query: toListQuery(type, view) })
    const price = await readAgedResponse(getPriceInForce, { query: { type } })
    if (!isRecent(price?.asOf)) await Promise.all([dispatch(fetchPriceInForce(type)), dispatch(fetchPriceData(type))])
    const { rows } = await readOrders(companyId, type, view)
    for (const { row } of rows) {
      if (row.state !== 'effective') continue
      const input = { params: { id: row.contract_id } }
      if (isRecent((await readAgedResponse(getContractHistory, input))?.asOf)) continue
      const { kind } = await api.call(getContractHistory, input)
      if (kind !== 'fresh') return
    }
  }
