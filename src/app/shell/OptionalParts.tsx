import { useCallback, useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import { getClientType, isDeleteLevel, isProviderAdmin, isAllowed } from '#domain/access.ts'
import { loadWithMessages } from '#app/i18n/page-messages.ts'
import { waitForFirstPage } from '#app/browser/idle.ts'
import { keepOptionalChunk } from '#app/pwa/optional-chunks.ts'
import { signedInRouteNames, type RouteName, findRouteName } from '#app/routes/paths.ts'
import type { OptionalChunk } from '#request/ports.ts'
import { useClientType } from '#state/client-type.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useFetch } from '#state/use-fetch.ts'

/** Few people ever see it, and no page is lost where its code cannot be had. */
const OptionalClientTypeSelect = createOptionalPart(async () => {
  const load = () => import(/* chunk: staff */ '#app/shell/ClientTypeSelect.tsx')
  return (await loadWithMessages(load, 'staff')).ClientTypeSelect
})

/** The pages that show or order what belongs to one client type. */
const clientTypeRoutes: ReadonlySet<RouteName> = new Set<RouteName>([
  'newContract',
  'modules',
  'newModule',
  'module',
  'hiddenModules',
  'newHiddenModule',
  'hiddenModule',
  'prices',
  'newPrice',
  'price',
])

/**
 * What not everybody has: the pages of the provider's staff, of who orders, of who reads the audit trail and what admins do with users, each kept by
 * the worker once one of them is here (P-09), and above each page that goes by it, for the delete level, the choice of the client type (M3).
 */
export function OptionalParts() {
  const { caller } = useSignedInSession()
  const { pathname } = useLocation()
  const isStaff = isProviderAdmin(caller)
  const canOrder = isAllowed('order', caller)
  useOptionalChunk('staff', isStaff)
  // Price lists show what an order costs, by the same parts.
  useOptionalChunk('orders', canOrder || isStaff)
  useOptionalChunk('trail', isAllowed('trail', caller))
  useOptionalChunk('users', isAllowed('admin', caller))
  useCachedOrders(canOrder)
  const routeName = findRouteName(signedInRouteNames, pathname)
  if (!isDeleteLevel(caller) || routeName === undefined || !clientTypeRoutes.has(routeName)) return null
  return <OptionalClientTypeSelect />
}

function useOptionalChunk(chunk: OptionalChunk, isNeeded: boolean) {
  useEffect(() => {
    if (isNeeded) keepOptionalChunk(chunk)
  }, [chunk, isNeeded])
}

/** Brings what the order pages show to the device behind the first page, and when the connection is back. */
function useCachedOrders(canOrder: boolean) {
  const dispatch = useDispatch()
  const { caller } = useSignedInSession()
  const { companyId } = caller
  const type = useClientType(getClientType)
  const cacheOrders = useCallback(async () => {
    await waitForFirstPage()
    // Where its code cannot be had nobody misses it.
    const orderModule = await import(/* chunk: orders */ '#features/orders/detail/prefetch-order-details.ts').catch(
      () => null,
    )
    if (orderModule) await dispatch(orderModule.prefetchOrderDetails(companyId, type))
  }, [dispatch, companyId, type])
  useFetch(
    useCallback(() => void cacheOrders(), [cacheOrders]),
    !canOrder,
  )
}
