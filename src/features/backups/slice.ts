/** The lists of backups in the store. Rows stay on the device. */
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

/** These three are lists of one service. */
export const backupOrders = createCompleteListSlice<BackupOrderRow>('backupOrders', listBackupOrders)
export const trafficMonths = createCompleteListSlice<TrafficRow>('trafficMonths', listTraffic)
export const storedBackups = createCompleteListSlice<StoredBackupRow>('storedBackups', listBackups)

/** All services that the user may see. */
export const backedServices = createCompleteListSlice<ServiceRow>('backedServices', listServices)
