import { useCallback } from 'react'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { isProviderAdmin } from '#domain/access.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useFetch } from '#state/use-fetch.ts'
import { ordersView, type OrdersView } from '#features/orders/view.ts'
import { usePriceList } from '#features/orders/quote/RequirePriceList.tsx'
import { fetchPriceData, fetchPriceInForce, ordersListSlice } from '#features/orders/slice.ts'
import { useCompanyName } from '#features/orders/wizard/fields/CompanyPicker.tsx'

/** Returns the contracts and current prices of the user's company, or of the company that the staff selected (D53). */
export function useOrdersList() {
  const { user, caller } = useSignedInSession()
  const dispatch = useDispatch()
  const { type, price } = usePriceList()
  // The address may contain any company id, but only the provider's staff may see other companies.
  const isStaff = isProviderAdmin(caller)
  const getOtherCompanyId = ({ company }: OrdersView) => (isStaff && company !== user.company_id ? company : null)
  const list = useListPage(ordersListSlice, ordersView, {
    scope: (view) => getOtherCompanyId(view) ?? user.company_id,
    extra: { type },
  })
  const otherCompanyId = getOtherCompanyId(list.view)
  const companyName = useCompanyName(otherCompanyId) ?? user.company_name
  useFetch(useCallback(() => void dispatch(fetchPriceData(type)), [dispatch, type]))
  const refetchPrice = () => void dispatch(fetchPriceInForce(type))
  return {
    type,
    hasPriceList: Boolean(price),
    isStaff,
    otherCompanyId,
    companyName,
    list: {
      ...list,
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
