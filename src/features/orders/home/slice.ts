/** The orders that home looks at, each by a list of its own: rows are the device's. */
import { listOrders, type OrderRow } from '#contract/orders.ts'
import { readList } from '#local/lists/read-list.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'

const createOrdersSlice = (name: string) =>
  createListSlice<OrderRow, PageQuery>({ name, endpoint: listOrders, read: readList, toQuery: (query) => query })

export const effectiveOrdersSlice = createOrdersSlice('effectiveOrders')
export const payableOrdersSlice = createOrdersSlice('payableOrders')

/** More of either would be more than anybody looks through on a first page. */
const homeView = { type: 'saas', page: 1, results: 50, sortOrder: 'asc' } as const
export const expiringView = { ...homeView, status: 1, sortField: 'expired_date' } as const
/** What is in effect with a change to be paid among them (D35). */
export const payableView = { ...homeView, status: 0, sortField: 'create_time' } as const
