/** Reads orders and the price list in force from this device. For live queries. */
import type { ClientType } from '#domain/access.ts'
import type { PlainDate } from '#domain/time.ts'
import { getPriceInForce } from '#contract/prices.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { useLiveQuery } from '#state/live-query.ts'
import type { OrdersView } from '#features/orders/view.ts'
import { ordersListSlice } from '#features/orders/slice.ts'

export const readOrders = (companyId: number, type: ClientType, view: OrdersView, today: PlainDate | null = null) =>
  ordersListSlice.readPage(companyId, ordersListSlice.toQuery({ ...view, type, today }))

export type PriceInForce = OutputOf<typeof getPriceInForce>

/** The price list in force (D16) as last fetched. Null if the device has none; undefined until it has been read. */
export const usePriceInForce = (type: ClientType): PriceInForce | null | undefined =>
  useLiveQuery(async () => await readResponseOutput(getPriceInForce, { query: { type } }), [type])
