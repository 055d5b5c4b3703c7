import { useCallback, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { getSettings } from '#contract/accounts.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { Problem } from '#contract/problem.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { isAllowed, isProviderAdmin } from '#domain/access.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import { useToday } from '#ui/page/use-today.ts'
import { allOrdersView, getOrderTab, ordersView, type OrdersView } from '#features/orders/view.ts'
import { usePriceList } from '#features/orders/quote/RequirePriceList.tsx'
import {
  allOrdersListSlice,
  fetchPriceData,
  fetchPriceInForce,
  type OrdersExtra,
  ordersListSlice,
} from '#features/orders/slice.ts'
import { useCompanyName } from '#features/orders/wizard/fields/CompanyPicker.tsx'

/**
 * Returns the contracts and current prices of the user's company. Staff with the order flag get those of the company in the address, or of
 * all companies (D53, decision 107). `fixedCompanyId`: the only company of the page.
 */
export function useOrdersList(fixedCompanyId: number | null) {
  const { user, caller } = useSignedInSession()
  const dispatch = useDispatch()
  const { type, price } = usePriceList()
  const [query] = useSearchParams()
  // The address may contain any company id, but only the provider's staff may see other companies.
  const canSelectCompany = isAllowed('staffOrder', caller) && fixedCompanyId === null
  const selectedCompanyId = canSelectCompany ? ordersView.read(query).company : user.company_id
  const companyId = fixedCompanyId ?? selectedCompanyId
  const isAll = companyId === null
  const timeZone = useLiveQuery(async () => await readResponseOutput(getSettings, {}), [])?.time_zone
  const businessDay = useToday(timeZone)
  const today = timeZone === undefined ? null : businessDay
  const listView = isAll ? allOrdersView : ordersView
  const list = useListPage<OrderRow, OrdersView, OrdersExtra>(isAll ? allOrdersListSlice : ordersListSlice, listView, {
    scope: companyId,
    isFramed: fixedCompanyId !== null,
    extra: ({ ending }) => ({ type, ...(ending && { today }) }),
    // What one company is to pay is listed by its items, and the contracts that end soon depend on today.
    skip: (view) => (!isAll && getOrderTab(view) === 'pay') || (view.ending && today === null),
  })
  const otherCompanyId = companyId === user.company_id ? null : companyId
  const companyName = useCompanyName(otherCompanyId) ?? user.company_name
  const [dataProblem, setDataProblem] = useState<Problem | null>(null)
  const fetchData = useCallback(
    () => void dispatch(fetchPriceData(type)).then((problem) => setDataProblem(problem)),
    [dispatch, type],
  )
  useFetch(fetchData)
  const refetchPrice = () => void dispatch(fetchPriceInForce(type))
  const undated = today === null && dataProblem !== null ? createUndatedList(dataProblem, fetchData) : null
  return {
    type,
    /** Today in the business time zone (D31). Null until the device knows the zone. */
    today,
    tab: getOrderTab(list.view),
    /** The state of a list that depends on today, if today is not known because the settings could not be loaded. */
    undated,
    hasPriceList: Boolean(price),
    isStaff: isProviderAdmin(caller),
    canSelectCompany,
    companyId,
    otherCompanyId,
    companyName,
    list: {
      ...list,
      // The tabs show these two fields, so they are not counted as filters.
      definition: {
        ...listView,
        countFilters: (view: OrdersView) => listView.countFilters({ ...view, status: null, ending: false }),
      },
      // A row just created for the other client type does not belong in this list.
      rows: list.rows?.filter(({ row }) => row.client_type === type),
      refetch() {
        list.refetch()
        refetchPrice()
      },
      refresh() {
        list.refresh()
        refetchPrice()
      },
      ...(list.view.ending && undated),
    },
  }
}

/** A list without rows. Offline it says that it is not on this device, otherwise it shows the problem of the settings with a retry. */
const createUndatedList = (problem: Problem, refetch: () => void) => ({
  rows: [],
  count: 0,
  freshness: { asOf: null, cachedCount: 0, total: null, complete: false, isCached: true },
  isFetching: false,
  problem,
  refetch,
  refresh: refetch,
})
