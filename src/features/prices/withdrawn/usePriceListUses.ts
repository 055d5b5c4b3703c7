import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { listPriceListUses } from '#contract/staff/withdrawn-price-lists.ts'
import type { ClientType } from '#domain/access.ts'
import { useRecord } from '#state/use-record.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'

/** Uses by the list's id. A list that was never used is not included. */
export type PriceListUses = ReadonlyMap<number, PriceListUse>
type PriceListUse = OutputOf<typeof listPriceListUses>[number]

/** Returns how many contracts and orders use each list. Null if this device does not have the numbers. */
export function usePriceListUses(type: ClientType): PriceListUses | null {
  const { record: uses } = useRecord(listPriceListUses, { query: { type } })
  return useMemo(() => (uses ? new Map(uses.map((use) => [use.id, use])) : null), [uses])
}

/** Returns "5 contracts", followed by other uses such as "2 open orders" and "3 backup orders". */
export function formatPriceListUses(t: TFunction<'prices'>, use: PriceListUse | undefined): string[] {
  const { contracts = 0, orders = 0, backups = 0 } = use ?? {}
  return [
    t('uses.contracts', { count: contracts, number: formatNumber(contracts) }),
    ...(orders > 0 ? [t('uses.orders', { count: orders, number: formatNumber(orders) })] : []),
    ...(backups > 0 ? [t('uses.backups', { count: backups, number: formatNumber(backups) })] : []),
  ]
}
