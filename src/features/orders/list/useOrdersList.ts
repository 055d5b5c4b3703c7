import { useCallback } from 'react'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { isProviderAdmin } from '#domain/access.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useFetch } from '#state/use-fetch.ts'
import { ordersView, type OrdersView } from '#features/orders/view.ts'
import { usePriceList } from '#features/orders/quote/RequirePriceList.tsx'
import { fetchPriceData, fetchPriceInForce, ordersListSlice } from '#features/orders/slice.ts'
import { useCompanyName } from '#features/orders/wizard/fields/CompanyPicker.tsx'

/** The contracts of a company, with the prices by which is ordered: of the own one, or of the one that its staff chose (D53). */
export function useOrdersList() {
  const { user, caller } = useSignedInSession()
  const dispatch = useDispatch()
  const { type, price } = usePriceList()
  // A customer's address may name any company: only staff may look at another one's.
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
      // A new row of the other client type is no row of this list.
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
