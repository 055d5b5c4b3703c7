import { useCallback, useMemo } from 'react'
import { getBackupPlan, getTraffic } from '#contract/backups.ts'
import type { OutputOf, VersionedRow } from '#contract/endpoint.ts'
import type { ServiceRow } from '#contract/services.ts'
import { useLiveChanges } from '#state/live-changes.ts'
import type { ListSlice } from '#state/list-slice.ts'
import type { ListSource } from '#patterns/list-export/fetch-all-rows.ts'
import { useList } from '#state/use-list.ts'
import { useRecord } from '#state/use-record.ts'
import { backedServices, backupOrders, storedBackups, trafficMonths } from '#features/backups/slice.ts'

const listDefaults = { results: 50, page: 1, sortOrder: 'desc' } as const
export const serviceView = { ...listDefaults, sortField: 'code', sortOrder: 'asc' } as const
const latestOrders = { ...listDefaults, sortField: 'create_time' } as const
const latestMonths = { ...listDefaults, sortField: 'period_end' } as const
const latestBackups = { ...listDefaults, sortField: 'start_time' } as const

/** Returns rows without the optimistic overlay, because these rows cannot be changed offline. */
function useRows<R extends VersionedRow, V>(list: ListSlice<R, V>, scope: number | null, view: V) {
  const listState = useList(list, { scope, view })
  const rows = useMemo(() => listState.rows?.map(({ row }) => row), [listState.rows])
  const source = { slice: list, scope, query: list.toQuery(view) } as unknown as ListSource<VersionedRow>
  return { ...listState, rows, source }
}

/** Returns all cached services, which are the possible targets of a restore. */
export function useServices() {
  const list = useRows(backedServices, null, serviceView)
  useLiveChanges('services', list.refetch)
  return list
}

/** Returns undefined until the device was read, and null if it has no such service. */
export const findServiceOfContract = (
  rows: readonly ServiceRow[] | undefined,
  contractId: number,
): ServiceRow | null | undefined => rows && (rows.find((row) => row.contract_id === contractId) ?? null)

export function useBackupCharges(serviceId: number) {
  const orders = useRows(backupOrders, serviceId, latestOrders)
  const months = useRows(trafficMonths, serviceId, latestMonths)
  const month = useRecord(getTraffic, { params: { serviceId } })
  const [refetchOrders, refetchMonths, refetchMonth] = [orders.refetch, months.refetch, month.refetch]
  const refresh = useCallback(() => {
    refetchOrders()
    refetchMonths()
    void refetchMonth()
  }, [refetchOrders, refetchMonths, refetchMonth])
  return { orders, months, month: month.record ?? null, refresh }
}
export type BackupCharges = ReturnType<typeof useBackupCharges>

export function useStoredBackups(serviceId: number) {
  const list = useRows(storedBackups, serviceId, latestBackups)
  const plan = useRecord(getBackupPlan, { params: { serviceId } })
  const [refetchList, refetchPlan] = [list.refetch, plan.refetch]
  const refresh = useCallback(() => {
    refetchList()
    void refetchPlan()
  }, [refetchList, refetchPlan])
  useLiveChanges('services', refresh)
  return { ...list, plan: plan.record ?? null, refresh }
}
export type BackupPlan = OutputOf<typeof getBackupPlan>
export type StoredBackupList = ReturnType<typeof useStoredBackups>
