/** The view of the contract list in the address (C-01). The client type is not part of it: staff select it for all their pages. */
import type { ClientType } from '#domain/access.ts'
import { type OrderRow, orderListSpec } from '#contract/orders.ts'
import { maxReminderDays } from '#domain/contracts.ts'
import { addDays } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { customerOrderListSpec } from '#contract/staff/customers.ts'
import { defineListView } from '#state/list-url.ts'
import { flag, id, oneOf } from '#state/view-fields.ts'

/** Status numbers as interpreted in D27, in display order. */
export const orderStatuses: readonly OrderRow['status'][] = [1, 0, 2, 3, -1]

const fields = {
  /** The company that the provider's staff view (D53); null for all companies. Customers have only their own. Sent in the path. */
  company: id({ isScope: true, toQuery: () => ({}) }),
  status: oneOf(orderStatuses),
  /** Only contracts in effect that end soon. The days are added to the query, because they depend on today. */
  ending: flag({ toQuery: () => ({}) }),
}

export const ordersView = defineListView(orderListSpec, fields)
/** The list of all companies can also be sorted by company. */
export const allOrdersView = defineListView(customerOrderListSpec, fields)
export type OrdersView = (typeof ordersView)['defaultView']

/** The last exclusive end of a contract that ends soon: from the day of the first reminder mail on (contracts 4). */
export const getEndUntil = (today: PlainDate): PlainDate => addDays(today, maxReminderDays.beforeExpiry + 1)

/** `today` is in the business time zone (D31). A view of contracts that end soon needs it. */
export const toListQuery = (type: ClientType, view: OrdersView, today: PlainDate | null = null) => ({
  ...ordersView.toListQuery(view),
  ...(view.ending && today !== null ? { status: 1 as const, endUntil: getEndUntil(today) } : {}),
  type,
})

/** Names of the tabs of the list, in their order. Any other status is a filter within all contracts. */
export const orderTabs = ['all', 'pay', 'ending', 'expired'] as const
export type OrderTab = (typeof orderTabs)[number]

export const getOrderTab = ({ status, ending }: Pick<OrdersView, 'status' | 'ending'>): OrderTab =>
  ending ? 'ending' : status === 0 ? 'pay' : status === 2 ? 'expired' : 'all'

/** Returns the view of a tab, with the same company and page size. */
export function toTabView({ company, results }: OrdersView, tab: OrderTab): OrdersView {
  const view = { ...ordersView.defaultView, company, results }
  if (tab === 'ending') return { ...view, ending: true, sort: ['expired_date', 'asc'] }
  return { ...view, status: tab === 'pay' ? 0 : tab === 'expired' ? 2 : null }
}
