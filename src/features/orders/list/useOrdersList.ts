import { useCallback } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { isAllowed, isProviderAdmin } from '#domain/access.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useFetch } from '#state/use-fetch.ts'
import { allOrdersView, ordersView } from '#features/orders/view.ts'
import { usePriceList } from '#features/orders/quote/RequirePriceList.tsx'
import { allOrdersListSlice, fetchPriceData, fetchPriceInForce, ordersListSlice } from '#features/orders/slice.ts'
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
  const list = useListPage(isAll ? allOrdersListSlice : ordersListSlice, isAll ? allOrdersView : ordersView, {
    scope: companyId,
    extra: { type },
  })
  const otherCompanyId = companyId === user.company_id ? null : companyId
  const companyName = useCompanyName(otherCompanyId) ?? user.company_name
  useFetch(useCallback(() => void dispatch(fetchPriceData(type)), [dispatch, type]))
  const refetchPrice = () => void dispatch(fetchPriceInForce(type))
  return {
    type,
    hasPriceList: Boolean(price),
    isStaff: isProviderAdmin(caller),
    canSelectCompany,
    companyId,
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
