import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { isDeleteLevel, isProviderAdmin, may } from '#domain/access.ts'
import { loadWords } from '#app/i18n/i18n.ts'
import { keepPart } from '#app/pwa/optional-chunks.ts'
import { insidePlaces, placeAt, places } from '#app/routes/paths.ts'
import { useSignedIn } from '#state/hooks.ts'

/** Few people ever see it, and no page is lost where its code cannot be had. */
const ClientType = lazy<ComponentType>(() =>
  Promise.all([import('#app/shell/ClientTypeSelect.tsx'), loadWords('staff')]).then(
    ([{ ClientType: Drawn }]) => ({ default: Drawn }),
    () => ({ default: () => null }),
  ),
)

/**
 * What not everybody has: the pages of the provider's staff and of who orders, each kept by the worker once one of them is
 * here (P-09), and above each of the staff's, for the delete level, the choice of the client type (M3).
 */
export function OwnParts() {
  const { caller } = useSignedIn()
  const { pathname } = useLocation()
  const isStaff = isProviderAdmin(caller)
  useEffect(() => {
    if (isStaff) keepPart('staff')
  }, [isStaff])
  const orders = may('order', caller)
  useEffect(() => {
    if (orders) keepPart('orders')
  }, [orders])
  const place = placeAt(insidePlaces, pathname)
  if (!isDeleteLevel(caller) || place === undefined || places[place].who !== 'providerAdmin') return null
  return (
    <Suspense fallback={null}>
      <ClientType />
    </Suspense>
  )
}
