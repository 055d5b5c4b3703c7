/** The view of the contract list (C-01). The client type is the staff's choice for all of their pages. */
import type { ClientType } from '#domain/access.ts'
import { type OrderRow, orderListSpec } from '#contract/orders.ts'
import { defineListView } from '#state/list-url.ts'
import { id, oneOf } from '#state/view-fields.ts'

/** Reading B (D27), in the order in which they are offered. */
export const orderStatuses: readonly OrderRow['status'][] = [1, 0, 2, 3, -1]

export const ordersView = defineListView(orderListSpec, {
  /** Whose contracts, where the provider's staff look at a customer's (D53); null: the own company's. In the path of the call. */
  company: id({ isScope: true, toQuery: () => ({}) }),
  status: oneOf(orderStatuses),
})
export type OrdersView = (typeof ordersView)['defaultView']

/** The page of a view, as both the call and the device's rows understand it. */
export const toListQuery = (type: ClientType, view: OrdersView) => ({ ...ordersView.toListQuery(view), type })
