import { useCallback, useMemo } from 'react'
import type { ServiceRow } from '#contract/services.ts'
import { toPageQuery, plainListState } from '#state/list-url.ts'
import { useDispatch } from '#state/use-store.ts'
import { useLiveChanges } from '#state/live-changes.ts'
import { useList } from '#state/use-list.ts'
import { serviceListSpec } from '#contract/services.ts'
import { defaultListView } from '#features/services/view.ts'
import { refreshServices, allServices } from '#features/services/slice.ts'

const allServicesView = toPageQuery(plainListState(serviceListSpec))

/** How one is called: by its own number, or by that of its contract. */
export type ServiceReference = { id: number } | { contractId: number }

const isReferenced = (row: ServiceRow, reference: ServiceReference) =>
  'id' in reference ? row.id === reference.id : row.contract_id === reference.contractId

/** One service among those that the device keeps, live; the server is asked beside it. `row` undefined: not known yet; null: there is none here. */
export function useService(reference: ServiceReference) {
  const dispatch = useDispatch()
  const { rows, freshness, isFetching, problem, refetch } = useList(allServices, { scope: null, view: allServicesView })
  const refresh = useCallback(() => void dispatch(refreshServices(defaultListView)), [dispatch])
  useLiveChanges('services', refresh)
  const referenceKey = JSON.stringify(reference)
  const row = useMemo(
    () =>
      rows &&
      (rows.find((overlaidRow) => isReferenced(overlaidRow.row, JSON.parse(referenceKey) as ServiceReference))?.row ??
        null),
    [rows, referenceKey],
  )
  return { row, freshness, isFetching, problem, refetch, refresh }
}
