import { useMemo } from 'react'
import { listTrail } from '#contract/audit-trail.ts'
import { useListUrl } from '#state/use-list-url.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { toEntryRows } from '#features/audit-trail/entry/entry-rows.ts'
import { savedTrailQuery } from '#features/audit-trail/list/trail-slice.ts'
import {
  getLastPage,
  isBeyondNumbers,
  restrictView,
  toTrailInput,
  trailView,
} from '#features/audit-trail/list/trail-view.ts'
import { useTrailResponse } from '#features/audit-trail/useTrailResponse.ts'

/** Until the first response, the list shows a skeleton of its rows. */
const createNoResponse = (isLoading: boolean) => ({
  asOf: null,
  isCached: !isLoading,
  output: { count: 0, more: false },
})

export type TrailList = ReturnType<typeof useTrailList>

/**
 * Returns the view in the address and its page of entries, for `<ListPage>`. The entries are not rows of a cached list.
 * `fixedCompanyId`: the only company of the page.
 */
export function useTrailList(fixedCompanyId: number | null) {
  const { caller } = useSignedInSession()
  const { view: requestedView, changeView } = useListUrl(trailView, savedTrailQuery, {
    isFramed: fixedCompanyId !== null,
  })
  const restrictedView = restrictView(requestedView, caller)
  const view = fixedCompanyId === null ? restrictedView : { ...restrictedView, company: fixedCompanyId }
  const { response, previousResponse, problem, isFetching, refetch } = useTrailResponse(listTrail, toTrailInput(view))
  const displayedResponse = response ?? (isFetching ? previousResponse : null)
  const rows = useMemo(() => displayedResponse && toEntryRows(displayedResponse.output), [displayedResponse])
  const { asOf, isCached, output } = displayedResponse ?? createNoResponse(response === undefined && !problem)
  return {
    definition: trailView,
    view,
    changeView,
    isGrowing: false,
    rows: rows ?? (response === null || problem ? [] : undefined),
    count: Math.min(output.count, getLastPage(view) * view.results),
    entryCount: output.count,
    /** Whether there are more entries than the server counts. */
    hasMore: output.more === true,
    days: displayedResponse?.days,
    isBeyondNumbers: isBeyondNumbers(view, output),
    freshness: { asOf, cachedCount: rows?.length ?? 0, total: output.count, complete: true, isCached },
    isFetching,
    problem,
    refetch,
    refresh: refetch,
  }
}
