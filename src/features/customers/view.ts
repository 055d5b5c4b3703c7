/** The view of the list of customers in the address (C-01). */
import { customerListSpec } from '#contract/staff/customers.ts'
import { defineListView } from '#state/list-url.ts'
import { oneOf } from '#state/view-fields.ts'

/** Groups of customers that the filter offers. */
export const customerGroups = ['unpaid', 'fault', 'noContract'] as const
type CustomerGroup = (typeof customerGroups)[number]

const queries: Record<CustomerGroup, Record<string, boolean>> = {
  unpaid: { hasUnpaid: true },
  fault: { hasFault: true },
  noContract: { hasContract: false },
}

export const customersView = defineListView(customerListSpec, {
  show: oneOf(customerGroups, { toQuery: (group) => (group === null ? {} : queries[group]) }),
})
export type CustomersView = (typeof customersView)['defaultView']
