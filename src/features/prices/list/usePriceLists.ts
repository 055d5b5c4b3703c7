import { useEffect, useMemo } from 'react'
import { getSettings } from '#contract/accounts.ts'
import { priceListsFills } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { readAnswer } from '#local/lists/responses.ts'
import { useToday } from '#ui/page/business-day.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { pageOf, plainListing } from '#state/list-url.ts'
import { useList } from '#state/use-list.ts'
import { keepWhole, wholePriceLists } from '#features/prices/slice.ts'
import { standings } from '#features/prices/list/in-force.ts'

const query = pageOf(plainListing(priceListsFills))
const noZone = 'Asia/Hong_Kong'

/** All price lists of a client type as this device has them, which of them count today, and whether none is missing here. */
export function usePriceLists(type: ClientType) {
  const { rows, freshness } = useList(wholePriceLists, { scope: null, view: { ...query, type } })
  const settings = useLiveQuery(async () => await readAnswer(getSettings, {}), [])
  const today = useToday(settings?.time_zone ?? noZone)
  const lists = useMemo(() => rows?.map(({ row }) => row), [rows])
  const standingOf = useMemo(() => standings(lists ?? [], today), [lists, today])
  return { lists, today, whole: freshness.complete, standingOf }
}

/** Keeps those that are shown whole on this device: none of them was opened yet when the line goes. */
export function useKeptWhole(lists: ReturnType<typeof usePriceLists>['lists']): void {
  const dispatch = useDispatch()
  const { line } = useConnection()
  useEffect(() => {
    if (lists && line === 'online') void dispatch(keepWhole(lists))
  }, [lists, line, dispatch])
}
