import { useEffect, useMemo } from 'react'
import { priceListSpec } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { getKnownState } from '#ui/page/home-report.ts'
import { useToday } from '#ui/page/use-today.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { toPageQuery, plainListState } from '#state/list-url.ts'
import { useList } from '#state/use-list.ts'
import { cacheFullLists, allPriceListsSlice } from '#features/prices/slice.ts'
import { useSettings } from '#patterns/useSettings.ts'
import { createListStateLookup } from '#features/prices/price-list-state.ts'

const query = toPageQuery(plainListState(priceListSpec))

/** All price lists of a client type as this device has them, withdrawn ones too, and which of them count today. */
export function usePriceLists(type: ClientType) {
  const { rows, freshness, problem } = useList(allPriceListsSlice, {
    scope: null,
    view: { ...query, type, includedWithdrawn: true },
  })
  const today = useToday(useSettings()?.time_zone)
  const lists = useMemo(() => rows?.map(({ row }) => row), [rows])
  const getListState = useMemo(() => createListStateLookup(lists ?? [], today), [lists, today])
  // A server that answers with an error has said nothing of price lists.
  const state = problem && freshness.asOf === null ? 'unknown' : getKnownState(freshness)
  return { lists, state, today, getListState }
}

/** Stores these lists in full on this device, so that any of them opens offline. */
export function useCachedFullLists(lists: ReturnType<typeof usePriceLists>['lists']): void {
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  useEffect(() => {
    if (lists && connection === 'online') void dispatch(cacheFullLists(lists))
  }, [lists, connection, dispatch])
}
