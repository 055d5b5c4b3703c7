import { useCallback, useEffect, useMemo, useState } from 'react'
import type { ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import { ordersView } from '#features/orders/view.ts'
import { readOrders } from '#features/orders/read-orders.ts'
import { fetchUnpaidOrders, type UnpaidOrder } from '#features/orders/draft/submit-order.ts'

export interface OwnUnpaidOrder extends UnpaidOrder {
  code: string
  currency: Currency
}

const unpaidView = { ...ordersView.defaultView, status: 0 as const, results: 50 }

/** Maximum time that a form waits for a list that is not on this device, ms. If the list arrived later, the form's layout would shift. */
const maxWaitMs = 1000

/**
 * Reads the company's unpaid orders from the device. Fetches them once, and again when the connection is back. Returns null while the
 * device has none and the form still waits for the response.
 */
export function useUnpaidOrders(companyId: number, type: ClientType): readonly OwnUnpaidOrder[] | null {
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const [isAwaited, setAwaited] = useState(true)
  useFetch(useCallback(() => void dispatch(fetchUnpaidOrders(companyId, type)), [dispatch, companyId, type]))
  useEffect(() => {
    if (connection !== 'online') setAwaited(false)
  }, [connection])
  useEffect(() => {
    const timer = setTimeout(() => setAwaited(false), maxWaitMs)
    return () => clearTimeout(timer)
  }, [])
  const cachedOrders = useLiveQuery(async () => await readOrders(companyId, type, unpaidView), [companyId, type])
  const isReady = cachedOrders !== undefined && (cachedOrders.complete || cachedOrders.rows.length > 0 || !isAwaited)
  return useMemo(
    () =>
      cachedOrders && isReady
        ? cachedOrders.rows.flatMap(({ row }) =>
            // Excludes the pending change of a contract in effect.
            typeof row.id === 'number' && row.state === 'unpaid'
              ? [
                  {
                    id: row.id,
                    code: row.code,
                    type: row.type,
                    currency: row.currency,
                    amount: row.pay_amount ?? '0.00',
                    due: row.due ?? '',
                  },
                ]
              : [],
          )
        : null,
    [cachedOrders, isReady],
  )
}
