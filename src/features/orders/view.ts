/** The view of the contract list in the address (C-01). The client type is not part of it: staff select it for all their pages. */
import type { ClientType } from '#domain/access.ts'
import { type OrderRow, orderListSpec } from '#contract/orders.ts'
import { customerOrderListSpec } from '#contract/staff/customers.ts'
import { defineListView } from '#state/list-url.ts'
import { id, oneOf } from '#state/view-fields.ts'

/** Status numbers as interpreted in D27, in display order. */
export const orderStatuses: readonly OrderRow['status'][] = [1, 0, 2, 3, -1]

const fields = {
  /** The company that the provider's staff view (D53); null for all companies. Customers have only their own. Sent in the path. */
  company: id({ isScope: true, toQuery: () => ({}) }),
  status: oneOf(orderStatuses),
}

export const ordersView = defineListView(orderListSpec, fields)
/** The list of all companies can also be sorted by company. */
export const allOrdersView = defineListView(customerOrderListSpec, fields)
export type OrdersView = (typeof ordersView)['defaultView']

export const toListQuery = (type: ClientType, view: OrdersView) => ({ ...ordersView.toListQuery(view), type })
