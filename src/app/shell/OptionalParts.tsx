import { useCallback, useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import { getClientType, isProviderAdmin, isAllowed } from '#domain/access.ts'
import { loadWithMessages } from '#app/i18n/page-messages.ts'
import { waitForFirstPage } from '#app/browser/idle.ts'
import { keepOptionalChunk } from '#app/pwa/optional-chunks.ts'
import { hasClientTypeSelect } from '#app/routes/client-type-routes.ts'
import type { OptionalChunk } from '#request/ports.ts'
import { useClientType } from '#state/client-type.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useFetch } from '#state/use-fetch.ts'

/** The client type selection. Few users ever see it, and pages work without it. */
const OptionalClientTypeSelect = createOptionalPart(async () => {
  const load = () => import(/* chunk: staff */ '#app/shell/ClientTypeSelect.tsx')
  return (await loadWithMessages(load, 'staff')).ClientTypeSelect
})

/**
 * Parts for some users only. It makes the worker cache the chunks of staff, order, audit trail and user administration pages if the user
 * may open them (P-09). It shows the client type selection above pages that depend on it (M3).
 */
export function OptionalParts() {
  const { caller } = useSignedInSession()
  const location = useLocation()
  const isStaff = isProviderAdmin(caller)
  const canOrder = isAllowed('order', caller)
  // Staff with the order flag need this chunk for the pages of customers.
  useOptionalChunk('staff', isAllowed('providerOrder', caller))
  // Staff need this chunk too: the pages of price lists show the cost of an order with the same components.
  useOptionalChunk('orders', canOrder || isStaff)
  useOptionalChunk('trail', isAllowed('trail', caller))
  useOptionalChunk('users', isAllowed('admin', caller))
  useCachedOrders(canOrder)
  return hasClientTypeSelect(caller, location) ? <OptionalClientTypeSelect /> : null
}

function useOptionalChunk(chunk: OptionalChunk, isNeeded: boolean) {
  useEffect(() => {
    if (isNeeded) keepOptionalChunk(chunk)
  }, [chunk, isNeeded])
}

/** Fetches the data of the order pages after the first page, and when the connection is back. */
function useCachedOrders(canOrder: boolean) {
  const dispatch = useDispatch()
  const { caller } = useSignedInSession()
  const { companyId } = caller
  const type = useClientType(getClientType)
  const cacheOrders = useCallback(async () => {
    await waitForFirstPage()
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
