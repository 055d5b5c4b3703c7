import { listOrders, type OrderRow, orderListSpec } from '#contract/orders.ts'
import { customerOrderListSpec, listCustomerOrders } from '#contract/staff/customers.ts'
import { getContractRefusal } from '#domain/contracts.ts'
import type { DueSubject } from '#domain/dues.ts'
import { groupThousands } from '#domain/money.ts'
import type { SearchItem, SearchSource } from '#patterns/search-source.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'
import { plainListState, toPageQuery } from '#state/list-url.ts'
import { formatDueName } from '#features/orders/dues/due-items.ts'
import { getDues, type ListedDue } from '#features/orders/payment/payable.ts'

const searchOrdersList = createListSlice<OrderRow, PageQuery>({
  name: 'searchOrders',
  endpoint: listOrders,
  toQuery: (query) => query,
})

const searchAllOrdersList = createListSlice<OrderRow, PageQuery>({
  name: 'searchAllOrders',
  endpoint: listCustomerOrders,
  toQuery: (query) => query,
})

const toKey = (id: OrderRow['id']) => `contract ${id}`
const toListPath = (searchText: string) => `/app/contract?${new URLSearchParams({ searchText })}`

export interface ContractSearchOptions {
  companyId: number
  /** Reads the list of all companies, for staff with the order flag. */
  hasAllCompanies: boolean
  formatPayment: (values: { code: string; amount: string }) => string
  formatDue: (day: string) => string
  /** Says what is paid: "Change (5 → 12 users)". */
  describeDue: (due: DueSubject) => string
}

/** Rows of the list of all companies have the name of the company. */
type SearchedRow = OrderRow & { company_name?: string }

/** Contracts, and for each amount that is due the command that pays it. */
export const createContractSearchSource = (options: ContractSearchOptions): SearchSource => ({
  kind: 'contracts',
  list: options.hasAllCompanies ? customerOrderListSpec : orderListSpec,
  scope: options.hasAllCompanies ? null : options.companyId,
  toItems(versionedRow) {
    const row = versionedRow as SearchedRow
    const { id, code, name, contract, state } = row
    // An order that was created on this device has no number yet, and an invalid one has no page.
    const canOpen = typeof id === 'number' && getContractRefusal('open', state) === null
    const contractItem: SearchItem = {
      key: toKey(id),
      group: 'find',
      icon: 'contract',
      label: code,
      detail: contract === null ? name : `${name} · ${contract}`,
      codes: contract === null ? [] : [contract],
      path: canOpen ? `/app/contract/${id}` : toListPath(code),
    }
    if (!canOpen) return [contractItem]
    // Without its deadline an amount is not offered, as in the list of amounts to pay.
    const dues = getDues(row).filter(({ due }) => due !== '')
    return [contractItem, ...dues.map((due) => toPayItem(row, due, options))]
  },
  findOpenId: (pathname) => {
    const [, id] = /^\/app\/contract\/(\d+)(?:\/|$)/.exec(pathname) ?? []
    return id === undefined ? null : Number(id)
  },
  toKey,
  toListPath,
  fetch: () =>
    options.hasAllCompanies
      ? searchAllOrdersList.fetchList({ scope: null, query: toPageQuery(plainListState(customerOrderListSpec)) })
      : searchOrdersList.fetchList({ scope: options.companyId, query: toPageQuery(plainListState(orderListSpec)) }),
})

function toPayItem(row: SearchedRow, due: ListedDue, options: ContractSearchOptions): SearchItem {
  const amount = `${due.currency} ${groupThousands(due.amount)}`
  const day = due.due.slice(0, 10)
  const isOwn = row.company_id === options.companyId
  // The day comes first, because a long text is cut off at its end.
  const details = [options.formatDue(day), options.describeDue(due), isOwn ? '' : (row.company_name ?? '')]
  return {
    key: `pay ${due.contractType} ${due.id}`,
    group: 'do',
    icon: 'price',
    label: options.formatPayment({ code: row.code, amount }),
    detail: details.filter((detail) => detail !== '').join(' · '),
    codes: [],
    // Staff find the amounts of other companies by text.
    isSuggested: isOwn,
    day,
    // Traffic stays due until it is paid. Rows of the device may be old.
    ...(due.contractType === 'TRAFFIC' ? {} : { lastDay: day }),
    path: `/app/contract/${row.id}?pay=${formatDueName(due)}`,
  }
}
