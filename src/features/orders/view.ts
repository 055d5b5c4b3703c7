/** The view of the contract list in the address (C-01). The client type is not part of it: staff select it for all their pages. */
import type { ClientType } from '#domain/access.ts'
import { type OrderRow, orderListSpec } from '#contract/orders.ts'
import { defineListView } from '#state/list-url.ts'
import { id, oneOf } from '#state/view-fields.ts'

/** Status numbers as interpreted in D27, in display order. */
export const orderStatuses: readonly OrderRow['status'][] = [1, 0, 2, 3, -1]

export const ordersView = defineListView(orderListSpec, {
  /** The customer that the provider's staff view (D53); null for the user's company. Sent in the path of the request. */
  company: id({ isScope: true, toQuery: () => ({}) }),
  status: oneOf(orderStatuses),
})
export type OrdersView = (typeof ordersView)['defaultView']

export const toListQuery = (type: ClientType, view: OrdersView) => ({ ...ordersView.toListQuery(view), type })
