import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { listPriceListUses } from '#contract/catalogue/withdrawn-price-lists.ts'
import type { ClientType } from '#domain/access.ts'
import { useRecord } from '#state/use-record.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'

/** By id; a list that nothing was sold by is not in it. */
export type PriceListUses = ReadonlyMap<number, PriceListUse>
type PriceListUse = OutputOf<typeof listPriceListUses>[number]

/** How many contracts and orders each list has, as stored on this device; null: nothing is stored. */
export function usePriceListUses(type: ClientType): PriceListUses | null {
  const { record: uses } = useRecord(listPriceListUses, { query: { type } })
  return useMemo(() => (uses ? new Map(uses.map((use) => [use.id, use])) : null), [uses])
}

/** "5 contracts", and what else there is of it: "2 open orders", "3 backup orders". */
export function formatPriceListUses(t: TFunction<'prices'>, use: PriceListUse | undefined): string[] {
  const { contracts = 0, orders = 0, backups = 0 } = use ?? {}
  return [
    t('uses.contracts', { count: contracts, number: formatNumber(contracts) }),
    ...(orders > 0 ? [t('uses.orders', { count: orders, number: formatNumber(orders) })] : []),
    ...(backups > 0 ? [t('uses.backups', { count: backups, number: formatNumber(backups) })] : []),
  ]
}
