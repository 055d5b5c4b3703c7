import { type CustomerRow, customerListSpec, listCustomers } from '#contract/staff/customers.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'
import { plainListState, toPageQuery } from '#state/list-url.ts'

export const homeCustomers = createCompleteListSlice<CustomerRow>('homeCustomers', listCustomers)
export const allCustomersView = toPageQuery(plainListState(customerListSpec))
