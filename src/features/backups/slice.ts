/** Backups in the store: how their lists were read, and the calls that order, make and restore. Rows are the device's and never come here. */
import {
  type BackupOrderRow,
  type PdbType,
  backUp,
  disableTraffic,
  listBackupOrders,
  listBackups,
  listTraffic,
  orderBackup,
  restoreBackup,
  type StoredBackupRow,
  type TrafficRow,
} from '#contract/backups.ts'
import type { Endpoint, InputOf, Intent } from '#contract/endpoint.ts'
import { listServices, type ServiceRow } from '#contract/services.ts'
import { readList } from '#local/lists/read-list.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { type LongRequest, followLongRequest } from '#state/long-request.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'

/** Of one service, as all three. */
export const backupOrders = createCompleteListSlice<BackupOrderRow>('backupOrders', listBackupOrders, readList)
export const trafficMonths = createCompleteListSlice<TrafficRow>('trafficMonths', listTraffic, readList)
export const storedBackups = createCompleteListSlice<StoredBackupRow>('storedBackups', listBackups, readList)

/** All that the reader may see. */
export const backedServices = createCompleteListSlice<ServiceRow>('backedServices', listServices, readList)

/** By the price that stands on the screen: another one by now is refused, and nothing is ordered (D17). */
export const submitBackupOrder = (body: InputOf<typeof orderBackup>['body'], intent: Intent) =>
  callEndpoint(orderBackup, { body }, { intent })

export const setTrafficDisabled = (serviceId: number, disabled: boolean) =>
  callEndpoint(disableTraffic, { params: { serviceId }, body: { disabled } })

/** What takes minutes. `targetServiceId`: the service that takes the backup in. */
export type BackupOperation =
  | { kind: 'backUp'; service: number; type: PdbType }
  | { kind: 'restore'; backup: number; targetServiceId: number }

const createLongRequest = <E extends Endpoint>(endpoint: E, input: InputOf<E>): LongRequest => ({ endpoint, input })

const toLongRequest = (operation: BackupOperation): LongRequest =>
  operation.kind === 'backUp'
    ? createLongRequest(backUp, { body: { service_id: operation.service, pdb_type: operation.type } })
    : createLongRequest(restoreBackup, { body: { backup_id: operation.backup, service_id: operation.targetServiceId } })

export const startBackupOperation = (operation: BackupOperation, intent: Intent, onStarted: () => void) =>
  followLongRequest(toLongRequest(operation), intent, onStarted)
