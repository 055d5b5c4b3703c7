import { useEffect, useMemo } from 'react'
import { priceListsFills } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { knownOf } from '#ui/page/home-report.ts'
import { useToday } from '#ui/page/business-day.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { pageOf, plainListing } from '#state/list-url.ts'
import { useList } from '#state/use-list.ts'
import { keepWhole, wholePriceLists } from '#features/prices/slice.ts'
import { useSettings } from '#features/prices/useSettings.ts'
import { standings } from '#features/prices/in-force.ts'

const query = pageOf(plainListing(priceListsFills))

/** All price lists of a client type as this device has them, withdrawn ones too, and which of them count today. */
export function usePriceLists(type: ClientType) {
  const { rows, freshness, problem } = useList(wholePriceLists, {
    scope: null,
    view: { ...query, type, includedWithdrawn: true },
  })
  const today = useToday(useSettings()?.time_zone)
  const lists = useMemo(() => rows?.map(({ row }) => row), [rows])
  const standingOf = useMemo(() => standings(lists ?? [], today), [lists, today])
  // A server that answers with an error has said nothing of price lists.
  const state = problem && freshness.asOf === null ? 'unknown' : knownOf(freshness)
  return { lists, state, today, standingOf }
}

/** Keeps those that are shown whole on this device: none of them was opened yet when the line goes. */
export function useKeptWhole(lists: ReturnType<typeof usePriceLists>['lists']): void {
  const dispatch = useDispatch()
  const { line } = useConnection()
  useEffect(() => {
    if (lists && line === 'online') void dispatch(keepWhole(lists))
  }, [lists, line, dispatch])
}
