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

/** Returns all price lists of a client type on this device, including withdrawn ones, with their states. */
export function usePriceLists(type: ClientType) {
  const { rows, freshness, problem } = useList(allPriceListsSlice, {
    scope: null,
    view: { ...query, type, includedWithdrawn: true },
  })
  const today = useToday(useSettings()?.time_zone)
  const lists = useMemo(() => rows?.map(({ row }) => row), [rows])
  const getListState = useMemo(() => createListStateLookup(lists ?? [], today), [lists, today])
  // If the server responds with an error, it is not known whether there are price lists.
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
