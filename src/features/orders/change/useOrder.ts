/** What the page of one order reads: the order with its waiting write over it, and its contract's history. */
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

/** An order that the device has. */
export type LoadedOrder = ReturnType<typeof useOrder> & { overlaidRow: OverlaidRow<OrderRow> }

/** Newest first; `contractId` 0: there is no contract yet. `rows` null: the device does not have them. */
export function useContractHistory(contractId: number) {
  const input = contractId > 0 ? { params: { id: contractId } } : null
  const { record, problem, refetch } = useRecord(getContractHistory, input)
  return { rows: record ?? null, problem, refetch }
}

/** Prices are calculated from these of the order's client type, whichever type its reader looks at otherwise. */
export function useOrderPrices(type: ClientType) {
  const { record: list, asOf, refetch: fetchList } = useRecord(getPriceInForce, { query: { type } })
  const { priceData, modules, settings } = usePriceData(type, list ?? null)
  return {
    /** Null: the device does not have all of it. */
    priceData,
    modules: modules.record ?? [],
    /** Whether the list in force sells backups; null: the device has not been read yet. */
    hasBackups: list === undefined ? null : Boolean(list?.pdbPrice),
    timeZone: settings.record?.time_zone ?? null,
    /** Of the price list, epoch ms. */
    asOf,
    refetch: async () => void (await Promise.all([fetchList(), modules.refetch()])),
  }
}
