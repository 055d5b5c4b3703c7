import { useEffect, useMemo, useState } from 'react'
import { listOrders, type OrderRow } from '#contract/orders.ts'
import type { ClientType } from '#domain/access.ts'
import type { PlainDate } from '#domain/time.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'
import { useList } from '#state/use-list.ts'
import { listDueItems } from '#features/orders/dues/due-items.ts'

const payableOrdersSlice = createListSlice<OrderRow, PageQuery>({
  name: 'payableOrders',
  endpoint: listOrders,
  toQuery: (query) => query,
})

/** Rows of one request, the maximum that the server allows. */
const pageSize = 50
/** Includes contracts in effect with an unpaid change, backup or month of traffic (D35). */
const payableView = { status: 0, results: pageSize, sortField: 'create_time', sortOrder: 'asc' } as const

interface DueItemsOptions {
  companyId: number
  type: ClientType
  /** Today in the business time zone (D31). Null if the zone is not known: then nothing is listed as due. */
  today: PlainDate | null
  searchText?: string
  skip?: boolean
}

/** Returns everything that a company has to pay, soonest first, and the list of its contracts that it was read from. All pages are fetched. */
export function useDueItems({ companyId, type, today, searchText = '', skip = false }: DueItemsOptions) {
  const key = `${companyId} ${type} ${searchText}`
  const [lastPage, setLastPage] = useState({ key, page: 1 })
  const page = lastPage.key === key ? lastPage.page : 1
  const query = { ...payableView, type, page, ...(searchText.trim() === '' ? {} : { searchText: searchText.trim() }) }
  const list = useList(payableOrdersSlice, { scope: companyId, view: query, isGrowing: true, skip })
  const { rows, isCurrentView, count, isFetching } = list
  const isPageFull = rows !== undefined && rows.length >= page * pageSize && rows.length < count
  useEffect(() => {
    if (isCurrentView && isPageFull && !isFetching) setLastPage({ key, page: page + 1 })
  }, [isCurrentView, isPageFull, isFetching, key, page])
  const items = useMemo(
    () =>
      rows === undefined || today === null
        ? undefined
        : listDueItems(
            rows.map(({ row }) => row),
            today,
          ),
    [rows, today],
  )
  return { items, list }
}
