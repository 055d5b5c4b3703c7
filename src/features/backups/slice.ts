import {
  type BackupOrderRow,
  listBackupOrders,
  listBackups,
  listTraffic,
  type StoredBackupRow,
  type TrafficRow,
} from '#contract/backups.ts'
import { listServices, type ServiceRow } from '#contract/services.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'

export const backupOrders = createCompleteListSlice<BackupOrderRow>('backupOrders', listBackupOrders)
export const trafficMonths = createCompleteListSlice<TrafficRow>('trafficMonths', listTraffic)
export const storedBackups = createCompleteListSlice<StoredBackupRow>('storedBackups', listBackups)

export const backedServices = createCompleteListSlice<ServiceRow>('backedServices', listServices)
