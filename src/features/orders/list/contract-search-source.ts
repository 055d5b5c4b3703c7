import { listOrders, type OrderRow, orderListSpec } from '#contract/orders.ts'
import { groupThousands } from '#domain/money.ts'
import type { SearchItem, SearchSource } from '#patterns/search-source.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'
import { plainListState, toPageQuery } from '#state/list-url.ts'
import { getDues, type ListedDue } from '#features/orders/payment/payable.ts'

const searchOrdersList = createListSlice<OrderRow, PageQuery>({
  name: 'searchOrders',
  endpoint: listOrders,
  toQuery: (query) => query,
})

const toKey = (id: OrderRow['id']) => `contract ${id}`

export interface ContractSearchOptions {
  companyId: number
  /** Reads the contracts of all companies that are on the device. */
  hasAllCompanies: boolean
  formatPayment: (values: { code: string; amount: string }) => string
  formatDue: (day: string) => string
}

/** Contracts, and for each amount that is due the command that pays it. */
export const createContractSearchSource = (options: ContractSearchOptions): SearchSource => ({
  kind: 'contracts',
  list: orderListSpec,
  scope: options.hasAllCompanies ? null : options.companyId,
  toItems(versionedRow) {
    const row = versionedRow as OrderRow
    const { id, code, name, contract } = row
    const contractItem: SearchItem = {
      key: toKey(id),
      group: 'find',
      icon: 'contract',
      label: code,
      detail: contract === null ? name : `${name} · ${contract}`,
      codes: contract === null ? [] : [contract],
      path: `/app/contract/${id}`,
    }
    // An order that was created on this device has no number that could be paid.
    if (typeof id !== 'number') return [contractItem]
    return [contractItem, ...getDues(row).map((due) => toPayItem(row, due, options))]
  },
  findOpenId: (pathname) => {
    const [, id] = /^\/app\/contract\/(\d+)(?:\/|$)/.exec(pathname) ?? []
    return id === undefined ? null : Number(id)
  },
  toKey,
  toListPath: (searchText) => `/app/contract?${new URLSearchParams({ searchText })}`,
  fetch: () =>
    searchOrdersList.fetchList({ scope: options.companyId, query: toPageQuery(plainListState(orderListSpec)) }),
})

function toPayItem(row: OrderRow, due: ListedDue, { formatPayment, formatDue }: ContractSearchOptions): SearchItem {
  const amount = `${due.currency} ${groupThousands(due.amount)}`
  return {
    key: `pay ${due.contractType} ${due.id}`,
    group: 'do',
    icon: 'price',
    label: formatPayment({ code: row.code, amount }),
    detail: due.due ? formatDue(due.due.slice(0, 10)) : '',
    codes: [],
    isSuggested: true,
    path: `/app/contract/${row.id}?pay=1`,
  }
}
