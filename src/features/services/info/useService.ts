import { useCallback } from 'react'
import { type ServiceRow, serviceListSpec } from '#contract/services.ts'
import { toPageQuery, plainListState } from '#state/list-url.ts'
import { useDispatch } from '#state/use-store.ts'
import { useLiveChanges } from '#state/live-changes.ts'
import { useList } from '#state/use-list.ts'
import { servicesView } from '#features/services/view.ts'
import { refreshServices, allServices } from '#features/services/slice.ts'

const allServicesView = toPageQuery(plainListState(serviceListSpec))

type ServiceReference = { id: number } | { contractId: number }

/** Returns a service from the cached list, as a live query. `row` is undefined until it has been read, and null if it does not exist. */
export function useService(reference: ServiceReference) {
  const dispatch = useDispatch()
  const { rows, freshness, isFetching, problem, refetch } = useList(allServices, { scope: null, view: allServicesView })
  const refresh = useCallback(() => void dispatch(refreshServices(servicesView.defaultView)), [dispatch])
  useLiveChanges('services', refresh)
  const isReferenced = (row: ServiceRow) =>
    'id' in reference ? row.id === reference.id : row.contract_id === reference.contractId
  const row = rows && (rows.find((candidate) => isReferenced(candidate.row))?.row ?? null)
  return { row, freshness, isFetching, problem, refetch, refresh }
}

export type ServiceState = Omit<ReturnType<typeof useService>, 'refresh'>

/** Returns whether there is no such service, by the response of the server or the list on the device. */
export const isUnknownService = ({ row, problem, isFetching, freshness }: ServiceState): boolean =>
  row === null && !isFetching && (problem ? problem.code === 'NOT_FOUND' : freshness.asOf !== null)
