/** What the page of one order reads: the order with what waits laid over it, and its contract's history. */
import { useMemo } from 'react'
import { getSettings } from '#contract/accounts.ts'
import { listModuleChoices } from '#contract/modules.ts'
import { getContractHistory, getOrder, type OrderRow } from '#contract/orders.ts'
import { getPriceInForce } from '#contract/prices.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import type { ClientType } from '#domain/access.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import { readSingleRow, readRowTime } from '#local/lists/read-row.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'

export function useOrder(id: number) {
  const input = { params: { id } }
  const { response, isFetching, problem, refetch } = useCachedResponse(readAgedResponse, getOrder, input)
  const { path } = toHttpRequest(getOrder, input)
  // Undefined: the device has not answered yet. Null: it holds none.
  const overlaidRow = useLiveQuery(async () => await readSingleRow<OrderRow>(path, 'orders', id), [path, id])
  // The newer of the two is shown: a page that was only listed so far is as old as the list.
  const listedAt = useLiveQuery(async () => await readRowTime('orders', id), [id])
  const asOf = Math.max(response?.asOf ?? 0, listedAt ?? 0) || null
  return { overlaidRow, asOf, busy: isFetching, problem, refetch }
}

/** An order that is here. */
export type LoadedOrder = ReturnType<typeof useOrder> & { overlaidRow: OverlaidRow<OrderRow> }

/** Newest first; `contractId` 0: there is no contract yet. */
export function useContractHistory(contractId: number) {
  const input = contractId > 0 ? { params: { id: contractId } } : null
  const { response, problem, refetch } = useCachedResponse(readAgedResponse, getContractHistory, input)
  return { rows: response?.output ?? null, problem, refetch }
}

/** What prices of the order's client type are worked out from, whichever type its reader looks at otherwise. */
export function useOrderPrices(type: ClientType) {
  const query = { type }
  const { response: list, refetch: fetchList } = useCachedResponse(readAgedResponse, getPriceInForce, { query })
  const { response: modules, refetch: fetchModules } = useCachedResponse(readAgedResponse, listModuleChoices, { query })
  const { response: settings } = useCachedResponse(readAgedResponse, getSettings, {})
  const priceData = useMemo<PriceData | null>(() => {
    if (!list || !modules || !settings) return null
    const { uat_bound: uatBound, time_zone: timeZone } = settings.output
    return { list: list.output, modules: modules.output, uatBound, timeZone }
  }, [list, modules, settings])
  return {
    /** Null: not all of it is here. */
    priceData,
    modules: modules?.output ?? [],
    /** Whether the list in force sells backups; null: the device has not answered yet. */
    hasBackups: list === undefined ? null : Boolean(list?.output.pdbPrice),
    zone: settings?.output.time_zone ?? null,
    /** Of the price list, epoch ms. */
    asOf: list?.asOf ?? null,
    refetch: async () => void (await Promise.all([fetchList(), fetchModules()])),
  }
}
