/** What the address of the contract list says (C-01). The client type is the staff's choice for all of their pages. */
import type { ClientType } from '#domain/access.ts'
import { type OrderRow, ordersFills } from '#contract/orders.ts'
import {
  changeListing,
  type Listing,
  pageOf,
  plainListing,
  readListing,
  readWhole,
  searchOf,
  writeListing,
} from '#state/list-url.ts'

export type OrderStatus = OrderRow['status']
/** Reading B (D27), in the order in which they are offered. */
export const orderStatuses: readonly OrderStatus[] = [1, 0, 2, 3, -1]

export interface View extends Listing {
  status: OrderStatus | null
  /** Whose contracts, where the provider's staff look at a customer's (D53); null: the own company's. */
  company: number | null
}

export const plainView: View = { status: null, company: null, ...plainListing(ordersFills) }

export const readView = (query: URLSearchParams): View => ({
  status: orderStatuses.find((status) => String(status) === query.get('status')) ?? null,
  company: readWhole(query.get('company'), 2_147_483_647),
  ...readListing(query, ordersFills),
})

export function writeView(view: View): URLSearchParams {
  const query = new URLSearchParams()
  if (view.company !== null) query.set('company', String(view.company))
  if (view.status !== null) query.set('status', String(view.status))
  writeListing(query, view, ordersFills)
  return query
}

export const changeView = (view: View, change: Partial<View>): View => changeListing(view, change)

export const remembered = (view: View): string => writeView(view).toString()

export const isFiltered = (view: View): boolean => view.status !== null || view.searchText.trim() !== ''

/** As both the call and the device's rows understand them. */
export const filtersOf = (type: ClientType, view: View) => ({
  type,
  ...(view.status === null ? {} : { status: view.status }),
  ...searchOf(view),
})

export const queryOf = (type: ClientType, view: View) => ({ ...pageOf(view), ...filtersOf(type, view) })
