import { useCallback, useEffect, useMemo, useState } from 'react'
import type { ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import { plainView } from '#features/orders/list-url.ts'
import { readOrders } from '#features/orders/read-orders.ts'
import { askUnpaid, type UnpaidOrder } from '#features/orders/draft/submit-order.ts'

export interface OwnUnpaid extends UnpaidOrder {
  code: string
  currency: Currency
}

const unpaidView = { ...plainView, status: 0 as const, results: 50 }

/** How long a form waits for a list that this device never had, so that the list does not push it away later, ms. */
const patience = 1000

/**
 * The company's unpaid orders, as this device knows them; asked for once, and when the line is back. Null: it knows
 * nothing of them yet, and is soon to hear.
 */
export function useUnpaid(companyId: number, type: ClientType): readonly OwnUnpaid[] | null {
  const dispatch = useDispatch()
  const { line } = useConnection()
  const [isAwaited, setAwaited] = useState(true)
  useFetch(useCallback(() => void dispatch(askUnpaid(companyId, type)), [dispatch, companyId, type]))
  useEffect(() => {
    if (line !== 'online') setAwaited(false)
  }, [line])
  useEffect(() => {
    const timer = setTimeout(() => setAwaited(false), patience)
    return () => clearTimeout(timer)
  }, [])
  const found = useLiveQuery(async () => await readOrders(companyId, type, unpaidView), [companyId, type])
  const isKnown = found !== undefined && (found.complete || found.rows.length > 0 || !isAwaited)
  return useMemo(
    () =>
      found && isKnown
        ? found.rows.flatMap(({ row }) =>
            // What waits beside a contract in effect is its own matter.
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
    [found, isKnown],
  )
}
