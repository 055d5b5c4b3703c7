import { useState } from 'react'
import { getContractHistory, getOrder, type OrderRow } from '#contract/orders.ts'
import { getPriceInForce } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useRecord } from '#state/use-record.ts'
import { usePriceData } from '#features/orders/quote/usePriceData.ts'

export function useOrder(id: number) {
  const { record: overlaidRow, ...request } = useRecord<OrderRow>(getOrder, { params: { id } }, { table: 'orders', id })
  return { overlaidRow, ...request }
}

export type LoadedOrder = ReturnType<typeof useOrder> & { overlaidRow: OverlaidRow<OrderRow> }

/**
 * Returns contracts newest first. `contractId` is 0 if no contract exists yet. `rows` is null if the device has no data. A problem stays until
 * the next answer, so that its button keeps the focus while it is retried.
 */
export function useContractHistory(contractId: number) {
  const input = contractId > 0 ? { params: { id: contractId } } : null
  const { record, problem, isFetching, refetch } = useRecord(getContractHistory, input)
  const [latestProblem, setLatestProblem] = useState(problem)
  if (!isFetching && latestProblem !== problem) setLatestProblem(problem)
  return { rows: record ?? null, problem: isFetching ? latestProblem : problem, refetch }
}

/** Returns price data of the order's client type, even if the user is viewing another type. */
export function useOrderPrices(type: ClientType) {
  const { record: list, asOf, refetch: fetchList } = useRecord(getPriceInForce, { query: { type } })
  const { priceData, modules, settings } = usePriceData(type, list ?? null)
  return {
    /** Null if the device lacks the price list, the modules or the settings. */
    priceData,
    modules: modules.record ?? [],
    /** Whether the price list in force includes backups. Null until the device has been read. */
    hasBackups: list === undefined ? null : Boolean(list?.pdbPrice),
    timeZone: settings.record?.time_zone ?? null,
    asOf,
    refetch: async () => void (await Promise.all([fetchList(), modules.refetch()])),
  }
}
