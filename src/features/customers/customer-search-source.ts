import { type CustomerRow, customerListSpec, listCustomers } from '#contract/staff/customers.ts'
import { customersView } from '#features/customers/view.ts'
import type { SearchSource } from '#patterns/search-source.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'
import { plainListState, toPageQuery } from '#state/list-url.ts'

const searchCustomersList = createCompleteListSlice<CustomerRow>('searchCustomers', listCustomers)

const toKey = (id: number) => `customer ${id}`

/** All customers, for the provider's staff. A customer opens its page. */
export const customerSearchSource: SearchSource = {
  kind: 'customers',
  list: customerListSpec,
  scope: null,
  toItems(versionedRow) {
    const { id, code, name } = versionedRow as CustomerRow
    const path = `/app/m18/customer/${id}`
    return [{ key: toKey(id), group: 'find', icon: 'customers', label: name, detail: code, codes: [code], path }]
  },
  findOpenId: (pathname) => {
    const [, id] = /^\/app\/m18\/customer\/(\d+)(?:\/|$)/.exec(pathname) ?? []
    return id === undefined ? null : Number(id)
  },
  toKey,
  toListPath: (searchText) => `/app/m18/customer?${customersView.write({ ...customersView.defaultView, searchText })}`,
  fetch: () => searchCustomersList.fetchList({ scope: null, query: toPageQuery(plainListState(customerListSpec)) }),
}
