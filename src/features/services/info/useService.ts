import { useCallback, useMemo } from 'react'
import type { ServiceRow } from '#contract/services.ts'
import { pageOf, plainListing } from '#state/list-url.ts'
import { useDispatch } from '#state/hooks.ts'
import { useLiveChanges } from '#state/live-changes.ts'
import { useList } from '#state/use-list.ts'
import { servicesFills } from '#contract/services.ts'
import { plainView } from '#features/services/list-url.ts'
import { refreshServices, wholeServices } from '#features/services/slice.ts'

const all = pageOf(plainListing(servicesFills))

/** How one is called: by its own number, or by that of its contract. */
export type Named = { id: number } | { contractId: number }

const isNamed = (row: ServiceRow, named: Named) =>
  'id' in named ? row.id === named.id : row.contract_id === named.contractId

/** One service among those that the device keeps, live; the server is asked beside it. `row` undefined: not known yet; null: there is none here. */
export function useService(named: Named) {
  const dispatch = useDispatch()
  const { rows, freshness, isFetching, problem, refetch } = useList(wholeServices, { scope: null, view: all })
  const refresh = useCallback(() => void dispatch(refreshServices(plainView)), [dispatch])
  useLiveChanges('services', refresh)
  const key = JSON.stringify(named)
  const row = useMemo(
    () => rows && (rows.find((shown) => isNamed(shown.row, JSON.parse(key) as Named))?.row ?? null),
    [rows, key],
  )
  return { row, freshness, isFetching, problem, refetch, refresh }
}
