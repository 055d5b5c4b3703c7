import { type InvoiceRow, invoiceListSpec, listInvoices } from '#contract/invoices.ts'
import { customerInvoiceListSpec, listCustomerInvoices } from '#contract/staff/customer-invoices.ts'
import type { SearchSource } from '#patterns/search-source.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'
import { plainListState, toPageQuery } from '#state/list-url.ts'
import { parseId } from '#state/view-fields.ts'
import { formatSignedAmount } from '#features/invoices/describe-invoice.ts'

const searchInvoicesList = createListSlice<InvoiceRow, PageQuery>({
  name: 'searchInvoices',
  endpoint: listInvoices,
  toQuery: (query) => query,
})

const searchAllInvoicesList = createListSlice<InvoiceRow, PageQuery>({
  name: 'searchAllInvoices',
  endpoint: listCustomerInvoices,
  toQuery: (query) => query,
})

const toKey = (id: number) => `invoice ${id}`

/** Invoices by their number. One opens in the drawer of the list. `hasAllCompanies`: reads the list of all companies, for staff. */
export const createInvoiceSearchSource = (companyId: number, hasAllCompanies: boolean): SearchSource => ({
  kind: 'invoices',
  list: hasAllCompanies ? customerInvoiceListSpec : invoiceListSpec,
  scope: hasAllCompanies ? null : companyId,
  toItems(versionedRow) {
    const row = versionedRow as InvoiceRow
    const { id, code, service_name: name } = row
    return [
      {
        key: toKey(id),
        group: 'find',
        icon: 'invoice',
        label: code,
        detail: `${name} · ${formatSignedAmount(row)}`,
        codes: [code],
        path: `/app/invoice?invoice=${id}`,
      },
    ]
  },
  findOpenId: (pathname, query) => (pathname === '/app/invoice' ? parseId(query.get('invoice')) : null),
  toKey,
  toListPath: (searchText) => `/app/invoice?${new URLSearchParams({ searchText })}`,
  fetch: () =>
    hasAllCompanies
      ? searchAllInvoicesList.fetchList({
          scope: null,
          query: toPageQuery(plainListState(customerInvoiceListSpec)),
        })
      : searchInvoicesList.fetchList({ scope: companyId, query: toPageQuery(plainListState(invoiceListSpec)) }),
})
