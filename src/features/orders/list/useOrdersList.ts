import { useCallback } from 'react'
import { getSettings } from '#contract/accounts.ts'
import type { OrderRow } from '#contract/orders.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { type ClientType, isProviderAdmin } from '#domain/access.ts'
import type { PlainDate } from '#domain/time.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import { useToday } from '#ui/page/use-today.ts'
import { getOrderTab, ordersView, type OrdersView } from '#features/orders/view.ts'
import { usePriceList } from '#features/orders/quote/RequirePriceList.tsx'
import { fetchPriceData, fetchPriceInForce, ordersListSlice } from '#features/orders/slice.ts'
import { useCompanyName } from '#features/orders/wizard/fields/CompanyPicker.tsx'

interface OrdersExtra {
  type: ClientType
  today?: PlainDate | null
}

/** Returns the contracts and current prices of the user's company, or of the company that the staff selected (D53). */
export function useOrdersList() {
  const { user, caller } = useSignedInSession()
  const dispatch = useDispatch()
  const { type, price } = usePriceList()
  // The address may contain any company id, but only the provider's staff may see other companies.
  const isStaff = isProviderAdmin(caller)
  const getOtherCompanyId = ({ company }: OrdersView) => (isStaff && company !== user.company_id ? company : null)
  const timeZone = useLiveQuery(async () => await readResponseOutput(getSettings, {}), [])?.time_zone
  const businessDay = useToday(timeZone)
  const today = timeZone === undefined ? null : businessDay
  const list = useListPage<OrderRow, OrdersView, OrdersExtra>(ordersListSlice, ordersView, {
    scope: (view) => getOtherCompanyId(view) ?? user.company_id,
    extra: ({ ending }) => ({ type, ...(ending && { today }) }),
    // What is to be paid is listed by its items, and the contracts that end soon depend on today.
    skip: (view) => getOrderTab(view) === 'pay' || (view.ending && today === null),
  })
  const otherCompanyId = getOtherCompanyId(list.view)
  const companyName = useCompanyName(otherCompanyId) ?? user.company_name
  useFetch(useCallback(() => void dispatch(fetchPriceData(type)), [dispatch, type]))
  const refetchPrice = () => void dispatch(fetchPriceInForce(type))
  return {
    type,
    /** Today in the business time zone (D31). Null until the device knows the zone. */
    today,
    tab: getOrderTab(list.view),
    hasPriceList: Boolean(price),
    isStaff,
    otherCompanyId,
    companyName,
    list: {
      ...list,
      // The tabs show these two fields, so they are not counted as filters.
      definition: {
        ...ordersView,
        countFilters: (view: OrdersView) => ordersView.countFilters({ ...view, status: null, ending: false }),
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
    },
  }
}
