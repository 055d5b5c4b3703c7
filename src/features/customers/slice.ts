/** The list of customers in the store. Rows stay on the device. */
import { type CustomerRow, listCustomers } from '#contract/staff/customers.ts'
import { customersView, type CustomersView } from '#features/customers/view.ts'
import { createListSlice } from '#state/list-slice.ts'

export const customersList = createListSlice<CustomerRow, CustomersView>({
  name: 'customers',
  endpoint: listCustomers,
  toQuery: customersView.toListQuery,
})
