import { useEffect, useMemo } from 'react'
import { getSettings } from '#contract/accounts.ts'
import { listModuleChoices } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { readAnswer } from '#local/answers.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { askMarket } from '#features/orders/market.ts'
import type { ListInForce, Market } from '#features/orders/quoting.ts'

/**
 * What prices are worked out from, as this device last heard; asked for on arrival and when the line is back. Null: it is
 * not here yet. `list`: of `Priced`.
 */
export function useMarket(
  type: ClientType,
  list: ListInForce,
): { market: Market; currencies: readonly Currency[] } | null {
  const dispatch = useDispatch()
  const online = useConnection().line === 'online'
  useEffect(() => {
    if (online) void dispatch(askMarket(type))
  }, [dispatch, type, online])
  const modules = useLive(async () => await readAnswer(listModuleChoices, { query: { type } }), [type])
  const settings = useLive(async () => await readAnswer(getSettings, {}), [])
  return useMemo(
    () =>
      modules && settings
        ? {
            market: { list, modules, uatBound: settings.uat_bound, zone: settings.time_zone },
            currencies: settings.currencies,
          }
        : null,
    [list, modules, settings],
  )
}
