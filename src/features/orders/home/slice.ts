import { listOrders, type OrderRow } from '#contract/orders.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'

const createOrdersSlice = (name: string) =>
  createListSlice<OrderRow, PageQuery>({ name, endpoint: listOrders, toQuery: (query) => query })

export const effectiveOrdersSlice = createOrdersSlice('effectiveOrders')
export const payableOrdersSlice = createOrdersSlice('payableOrders')

const homeView = { type: 'saas', page: 1, results: 50, sortOrder: 'asc' } as const
export const expiringView = { ...homeView, status: 1, sortField: 'expired_date' } as const
/** View of the rows with an amount due. It includes contracts in effect with an unpaid change (D35). */
export const payableView = { ...homeView, status: 0, sortField: 'create_time' } as const
