/** Invoices and credit notes of all companies. For the provider's staff only. */
import * as z from 'zod/mini'
import { defineEndpoint, type ListSpec } from '#contract/endpoint.ts'
import { invoiceFilters, invoiceQuery, invoiceRow, invoiceSorts, searchedInvoiceColumns } from '#contract/invoices.ts'
import { changesOutput, getSortNames, pageOutput, pageQuery } from '#contract/values.ts'

const customerInvoiceRow = z.object({ ...invoiceRow.shape, company_code: z.string(), company_name: z.string() })
export type CustomerInvoiceRow = z.output<typeof customerInvoiceRow>

export const customerInvoiceListSpec = {
  table: 'customer_invoices',
  row: customerInvoiceRow,
  sorts: { ...invoiceSorts, company_name: 'text' },
  sort: ['issued', 'desc'],
  filters: {
    ...invoiceFilters,
    searchText: { kind: 'contains', columns: [...searchedInvoiceColumns, 'company_code', 'company_name'] },
  },
  scope: null,
} satisfies ListSpec

/** Has no change number, so a device stores the pages that were read, and not the complete list (decision 107). */
export const listCustomerInvoices = defineEndpoint({
  name: 'listCustomerInvoices',
  method: 'GET',
  path: '/api/sinvoice',
  summary: 'Lists the invoices and credit notes of all companies',
  access: 'staffOrder',
  matrix: 'Z-24',
  query: pageQuery(getSortNames(customerInvoiceListSpec), invoiceQuery),
  output: z.union([pageOutput(customerInvoiceRow), changesOutput(customerInvoiceRow)]),
  offline: 'list',
  list: customerInvoiceListSpec,
})
