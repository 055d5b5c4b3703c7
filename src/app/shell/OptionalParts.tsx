import { type ComponentType, lazy, Suspense, useCallback, useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { clientTypeOf, isDeleteLevel, isProviderAdmin, may } from '#domain/access.ts'
import { loadWords } from '#app/i18n/i18n.ts'
import { whenSettled } from '#app/browser/idle.ts'
import { keepPart } from '#app/pwa/optional-chunks.ts'
import { insidePlaces, type Place, placeAt } from '#app/routes/paths.ts'
import { useClientType } from '#state/client-type.ts'
import { useDispatch, useSignedIn } from '#state/hooks.ts'
import { useFetch } from '#state/use-fetch.ts'

/** Few people ever see it, and no page is lost where its code cannot be had. */
const ClientType = lazy<ComponentType>(() =>
  Promise.all([import(/* chunk: staff */ '#app/shell/ClientTypeSelect.tsx'), loadWords('staff')]).then(
    ([{ ClientType: Drawn }]) => ({ default: Drawn }),
    () => ({ default: () => null }),
  ),
)

/** The pages that show or order what belongs to one client type. */
const goesByClientType: ReadonlySet<Place> = new Set<Place>([
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
export function OwnParts() {
  const { caller } = useSignedIn()
  const { pathname } = useLocation()
  const isStaff = isProviderAdmin(caller)
  useEffect(() => {
    if (isStaff) keepPart('staff')
  }, [isStaff])
  const orders = may('order', caller)
  // Price lists show what an order costs, by the same parts.
  const needsOrders = orders || isStaff
  useEffect(() => {
    if (needsOrders) keepPart('orders')
  }, [needsOrders])
  const reads = may('trail', caller)
  useEffect(() => {
    if (reads) keepPart('trail')
  }, [reads])
  const looksAfterUsers = may('admin', caller)
  useEffect(() => {
    if (looksAfterUsers) keepPart('users')
  }, [looksAfterUsers])
  useKeptOrders(orders)
  const place = placeAt(insidePlaces, pathname)
  if (!isDeleteLevel(caller) || place === undefined || !goesByClientType.has(place)) return null
  return (
    <Suspense fallback={null}>
      <ClientType />
    </Suspense>
  )
}

/** What the order pages show is brought to the device behind the first page, and when the line is back. */
function useKeptOrders(orders: boolean) {
  const dispatch = useDispatch()
  const { caller } = useSignedIn()
  const { companyId } = caller
  const type = useClientType(clientTypeOf)
  const keep = useCallback(async () => {
    await whenSettled()
    // Where its code cannot be had nobody misses it.
    const part = await import(/* chunk: orders */ '#features/orders/detail/keep-details.ts').catch(() => null)
    if (part) await dispatch(part.keepDetails(companyId, type))
  }, [dispatch, companyId, type])
  useFetch(
    useCallback(() => void keep(), [keep]),
    !orders,
  )
}
