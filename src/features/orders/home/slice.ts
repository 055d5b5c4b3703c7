import { listOrders, type OrderRow } from '#contract/orders.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'

export const effectiveOrdersSlice = createListSlice<OrderRow, PageQuery>({
  name: 'effectiveOrders',
  endpoint: listOrders,
  toQuery: (query) => query,
})

export const expiringView = {
  type: 'saas',
  page: 1,
  results: 50,
  status: 1,
  sortField: 'expired_date',
  sortOrder: 'asc',
} as const
