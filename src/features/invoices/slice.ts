/** The lists of invoices in the store. Rows stay on the device. */
import { type InvoiceRow, listInvoices } from '#contract/invoices.ts'
import { listCustomerInvoices } from '#contract/staff/customer-invoices.ts'
import { createListSlice } from '#state/list-slice.ts'
import { allInvoicesView, invoicesView, type InvoicesView } from '#features/invoices/view.ts'

/** Rows of the list of all companies have the company too. */
export type ListedInvoice = InvoiceRow & { company_code?: string; company_name?: string }

export const invoicesList = createListSlice<ListedInvoice, InvoicesView>({
  name: 'invoices',
  endpoint: listInvoices,
  toQuery: invoicesView.toListQuery,
})

export const allInvoicesList = createListSlice<ListedInvoice, InvoicesView>({
  name: 'allInvoices',
  endpoint: listCustomerInvoices,
  toQuery: allInvoicesView.toListQuery,
})
