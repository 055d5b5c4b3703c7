import { useMemo } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { listPriceListUses } from '#contract/withdrawn-price-lists.ts'
import type { ClientType } from '#domain/access.ts'
import { readAged } from '#local/lists/responses.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'

/** By id; a list that nothing was sold by is not in it. */
export type PriceListUses = ReadonlyMap<number, OutputOf<typeof listPriceListUses>[number]>

/** How many contracts and orders each list has, as this device last heard. Null: it never did. */
export function usePriceListUses(type: ClientType): PriceListUses | null {
  const { response } = useCachedResponse(readAged, listPriceListUses, { query: { type } })
  const uses = response?.output
  return useMemo(() => (uses ? new Map(uses.map((one) => [one.id, one])) : null), [uses])
}
