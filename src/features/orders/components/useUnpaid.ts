import { useEffect, useMemo } from 'react'
import type { ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { plainView } from '#features/orders/address.ts'
import { readOrders } from '#features/orders/list.ts'
import { askUnpaid, type Unpaid } from '#features/orders/ordering.ts'

export interface OwnUnpaid extends Unpaid {
  code: string
  currency: Currency
}

const unpaidView = { ...plainView, status: 0 as const, results: 50 }

/** The company's unpaid orders, as this device knows them; asked for once, and when the line is back. */
export function useUnpaid(companyId: number, type: ClientType): readonly OwnUnpaid[] {
  const dispatch = useDispatch()
  const { line } = useConnection()
  useEffect(() => {
    if (line === 'online') void dispatch(askUnpaid(companyId, type))
  }, [dispatch, companyId, type, line])
  const found = useLive(async () => await readOrders(companyId, type, unpaidView), [companyId, type])
  return useMemo(
    () =>
      (found?.rows ?? []).flatMap(({ row }) =>
        typeof row.id === 'number'
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
      ),
    [found],
  )
}
