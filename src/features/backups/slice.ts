/** Backups in the store: how their lists were read, and the calls that order, make and restore. Rows are the device's and never come here. */
import {
  type BackupOrderRow,
  type BackupType,
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
import { type Asked, beginAndFollow } from '#state/long-request.ts'
import { createWholeList } from '#state/whole-list.ts'

/** Of one service, as all three. */
export const backupOrders = createWholeList<BackupOrderRow>('backupOrders', listBackupOrders, readList)
export const trafficMonths = createWholeList<TrafficRow>('trafficMonths', listTraffic, readList)
export const storedBackups = createWholeList<StoredBackupRow>('storedBackups', listBackups, readList)

/** All that the reader may see. */
export const backedServices = createWholeList<ServiceRow>('backedServices', listServices, readList)

/** By the price that stands on the screen: another one by now is refused, and nothing is ordered (D17). */
export const order = (body: InputOf<typeof orderBackup>['body'], intent: Intent) =>
  callEndpoint(orderBackup, { body }, { intent })

export const setTraffic = (serviceId: number, disabled: boolean) =>
  callEndpoint(disableTraffic, { params: { serviceId }, body: { disabled } })

/** What takes minutes. `into`: the service that takes the backup in. */
export type Wish =
  | { kind: 'backUp'; service: number; type: BackupType }
  | { kind: 'restore'; backup: number; into: number }

const asked = <E extends Endpoint>(endpoint: E, input: InputOf<E>): Asked => ({ endpoint, input })

const askedFor = (wish: Wish): Asked =>
  wish.kind === 'backUp'
    ? asked(backUp, { body: { service_id: wish.service, pdb_type: wish.type } })
    : asked(restoreBackup, { body: { backup_id: wish.backup, service_id: wish.into } })

export const operate = (wish: Wish, intent: Intent, onStarted: () => void) =>
  beginAndFollow(askedFor(wish), intent, onStarted)
