/** What the address of the contract list says (C-01). The client type is the staff's choice for all of their pages. */
import type { ClientType } from '#domain/access.ts'
import { type OrderRow, orderListSpec } from '#contract/orders.ts'
import {
  changeListState,
  type ListUrlState,
  toPageQuery,
  plainListState,
  readListState,
  parseWholeNumber,
  toSearchQuery,
  writeListState,
} from '#state/list-url.ts'

export type OrderStatus = OrderRow['status']
/** Reading B (D27), in the order in which they are offered. */
export const orderStatuses: readonly OrderStatus[] = [1, 0, 2, 3, -1]

export interface OrdersView extends ListUrlState {
  status: OrderStatus | null
  /** Whose contracts, where the provider's staff look at a customer's (D53); null: the own company's. */
  company: number | null
}

export const defaultListView: OrdersView = { status: null, company: null, ...plainListState(orderListSpec) }

export const readListView = (query: URLSearchParams): OrdersView => ({
  status: orderStatuses.find((status) => String(status) === query.get('status')) ?? null,
  company: parseWholeNumber(query.get('company'), 2_147_483_647),
  ...readListState(query, orderListSpec),
})

export function writeListView(view: OrdersView): URLSearchParams {
  const query = new URLSearchParams()
  if (view.company !== null) query.set('company', String(view.company))
  if (view.status !== null) query.set('status', String(view.status))
  writeListState(query, view, orderListSpec)
  return query
}

export const changeListView = (view: OrdersView, change: Partial<OrdersView>): OrdersView =>
  changeListState(view, change)

export const toRememberedQuery = (view: OrdersView): string => writeListView(view).toString()

export const isFiltered = (view: OrdersView): boolean => view.status !== null || view.searchText.trim() !== ''

/** As both the call and the device's rows understand them. */
export const toListFilters = (type: ClientType, view: OrdersView) => ({
  type,
  ...(view.status === null ? {} : { status: view.status }),
  ...toSearchQuery(view),
})

export const toListQuery = (type: ClientType, view: OrdersView) => ({
  ...toPageQuery(view),
  ...toListFilters(type, view),
})
