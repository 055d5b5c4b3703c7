import { useCallback, useMemo, useState } from 'react'
import { getSettings } from '#contract/accounts.ts'
import { listModuleChoices } from '#contract/modules.ts'
import type { Problem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { readAnswer } from '#local/lists/responses.ts'
import { useDispatch } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import type { ListInForce, PriceData } from '#features/orders/quote/local-quote.ts'
import { askMarket } from '#features/orders/slice.ts'

interface Found {
  market: PriceData
  currencies: readonly Currency[]
}

interface Asked {
  /** Null: it is not here yet. */
  found: Found | null
  /** Why it could not be asked for; null: it is being asked for, or was. */
  problem: Problem | null
  ask: () => void
}

/** What prices are worked out from, as this device last heard; asked for on arrival and when the line is back. `list`: of `Priced`. */
export function useMarket(type: ClientType, list: ListInForce): Asked {
  const dispatch = useDispatch()
  const [problem, setProblem] = useState<Problem | null>(null)
  const ask = useCallback(() => {
    setProblem(null)
    void dispatch(askMarket(type)).then(setProblem)
  }, [dispatch, type])
  useFetch(ask)
  const modules = useLiveQuery(async () => await readAnswer(listModuleChoices, { query: { type } }), [type])
  const settings = useLiveQuery(async () => await readAnswer(getSettings, {}), [])
  const found = useMemo(
    () =>
      modules && settings
        ? {
            market: { list, modules, uatBound: settings.uat_bound, zone: settings.time_zone },
            currencies: settings.currencies,
          }
        : null,
    [list, modules, settings],
  )
  return { found, problem, ask }
}
