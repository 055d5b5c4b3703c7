import { useCallback, useMemo, useState } from 'react'
import { getSettings } from '#contract/accounts.ts'
import { listModuleChoices } from '#contract/modules.ts'
import type { Problem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { useDispatch } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import type { PriceListInForce, PriceData } from '#features/orders/quote/local-quote.ts'
import { fetchPriceData } from '#features/orders/slice.ts'

interface OrderingData {
  priceData: PriceData
  currencies: readonly Currency[]
}

interface PriceDataState {
  /** Null: it is not here yet. */
  orderingData: OrderingData | null
  /** Why it could not be asked for; null: it is being asked for, or was. */
  problem: Problem | null
  fetchAll: () => void
}

/** What prices are worked out from, as this device last heard; asked for on arrival and when the line is back. `list`: of `RequirePriceList`. */
export function usePriceData(type: ClientType, list: PriceListInForce): PriceDataState {
  const dispatch = useDispatch()
  const [problem, setProblem] = useState<Problem | null>(null)
  const fetchAll = useCallback(() => {
    setProblem(null)
    void dispatch(fetchPriceData(type)).then(setProblem)
  }, [dispatch, type])
  useFetch(fetchAll)
  const modules = useLiveQuery(async () => await readResponseOutput(listModuleChoices, { query: { type } }), [type])
  const settings = useLiveQuery(async () => await readResponseOutput(getSettings, {}), [])
  const orderingData = useMemo(
    () =>
      modules && settings
        ? {
            priceData: { list, modules, uatBound: settings.uat_bound, timeZone: settings.time_zone },
            currencies: settings.currencies,
          }
        : null,
    [list, modules, settings],
  )
  return { orderingData, problem, fetchAll }
}
