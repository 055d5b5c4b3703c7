import { type ReactNode, useCallback } from 'react'
import { type ClientType, clientTypeOf } from '#domain/access.ts'
import { useClientType } from '#state/client-type.ts'
import { useDispatch, useSelector } from '#state/hooks.ts'
import { useFetch } from '#state/use-fetch.ts'
import { Redirect } from '#ui/page/Redirect.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { type PriceInForce, usePriceInForce } from '#features/orders/read-orders.ts'
import { fetchPrice, selectPrice } from '#features/orders/slice.ts'
import { useWhyNoOrder } from '#features/orders/quote/useOrderBlocked.ts'

/** Which client type the order pages are about, and the price list by which is ordered; asked for on arrival (M68). */
export function usePrice(): { type: ClientType; price: PriceInForce | null | undefined } {
  const type = useClientType(clientTypeOf)
  const dispatch = useDispatch()
  useFetch(useCallback(() => void dispatch(fetchPrice(type)), [dispatch, type]))
  return { type, price: usePriceInForce(type) }
}

/** What cannot be without a price list: leads to the contract list where there is none to be had (contracts 2). */
export function Priced({ children }: { children: (given: { type: ClientType; price: PriceInForce }) => ReactNode }) {
  const { t } = useTranslation('orders')
  const { type, price } = usePrice()
  const why = useWhyNoOrder(type, false) ?? ''
  const asking = useSelector((state) => selectPrice(state, type))
  if (price) return children({ type, price })
  // What has been answered is on its way to the device, and from there to here.
  const isMissing = price === null && asking?.kind === 'failed'
  return isMissing ? <Redirect to="/app/contract" why={t('price.redirect', { why })} /> : <Skeleton lines={5} />
}
