import { type ReactNode, useCallback } from 'react'
import { type ClientType, getClientType } from '#domain/access.ts'
import { useClientType } from '#state/client-type.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { useFetch } from '#state/use-fetch.ts'
import { Redirect } from '#ui/page/Redirect.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { type PriceInForce, usePriceInForce } from '#features/orders/read-orders.ts'
import { fetchPriceInForce, selectPriceStatus } from '#features/orders/slice.ts'
import { useOrderBlockedReason } from '#features/orders/quote/useOrderBlockedReason.ts'

/** Returns the client type of the order pages and the list in force, fetched when the page opens (M68). */
export function usePriceList(): { type: ClientType; price: PriceInForce | null | undefined } {
  const type = useClientType(getClientType)
  const dispatch = useDispatch()
  useFetch(useCallback(() => void dispatch(fetchPriceInForce(type)), [dispatch, type]))
  return { type, price: usePriceInForce(type) }
}

/** Renders its children with the price list in force. Without one, redirects to the contract list (contracts 2). */
export function RequirePriceList({
  children,
}: {
  children: (priceList: { type: ClientType; price: PriceInForce }) => ReactNode
}) {
  const { t } = useTranslation('orders')
  const { type, price } = usePriceList()
  const reason = useOrderBlockedReason(type, false) ?? ''
  const status = useSelector((state) => selectPriceStatus(state, type))
  if (price) return children({ type, price })
  // A price list that was just fetched may not be on the device yet, so redirect only after a failed request.
  const isMissing = price === null && status?.kind === 'failed'
  return isMissing ? <Redirect to="/app/contract" reason={t('price.redirect', { reason })} /> : <Skeleton lines={5} />
}
