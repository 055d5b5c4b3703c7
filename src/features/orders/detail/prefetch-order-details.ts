/** Brings to the device what the order pages show, before anybody opens one of them. */
import { getContractHistory, listOrders } from '#contract/orders.ts'
import { getPriceInForce } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { ordersView, toListQuery } from '#features/orders/view.ts'
import { readOrders } from '#features/orders/read-orders.ts'
import { fetchPriceData, fetchPriceInForce } from '#features/orders/slice.ts'

/** What the device heard within this time is not asked for again, ms. Whoever opens a page asks anyway. */
const recentMs = 24 * 3_600_000
/** So many contracts, the newest first: each is a request of its own. */
const maxContracts = 50
const view = { ...ordersView.defaultView, results: maxContracts }

/**
 * The list, the histories of the contracts in effect and the prices: with them the page of each contract in effect and of
 * each unpaid order opens without a line, and a change of it is worked out there. One request after the other, as nobody
 * waits for them; ends with the first that the server does not answer.
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
