import { useMemo } from 'react'
import { getSettings } from '#contract/accounts.ts'
import { listModuleChoices } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { useRecord } from '#state/use-record.ts'
import type { PriceListInForce, PriceData } from '#features/orders/quote/local-quote.ts'

/** `priceData` is null unless the device has the list, the modules and the settings. */
export function usePriceData(type: ClientType, list: PriceListInForce | null) {
  const modules = useRecord(listModuleChoices, { query: { type } })
  const settings = useRecord(getSettings, {})
  const [moduleRows, settingsRow] = [modules.record, settings.record]
  const priceData = useMemo<PriceData | null>(
    () =>
      list && moduleRows && settingsRow
        ? {
            list,
            modules: moduleRows,
            uatBound: settingsRow.uat_bound,
            isUnusedCredited: settingsRow.credit_smaller_contracts ?? false,
            timeZone: settingsRow.time_zone,
          }
        : null,
    [list, moduleRows, settingsRow],
  )
  return { priceData, modules, settings }
}
