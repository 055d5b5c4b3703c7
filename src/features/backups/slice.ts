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
import type { Problem } from '#contract/problem.ts'
import { listServices, type ServiceRow } from '#contract/services.ts'
import { readList } from '#local/lists/read-list.ts'
import type { Result } from '#request/results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
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

/** Whether nobody can say if the server has it: then the same wish is sent again, and takes effect once. */
export const isInDoubt = ({ status, code }: Problem): boolean => status === 0 && code !== 'SIGNED_OUT'

const asked = <E extends Endpoint>(endpoint: E, input: InputOf<E>) => ({ endpoint: endpoint as Endpoint, input })

const askedFor = (wish: Wish) =>
  wish.kind === 'backUp'
    ? asked(backUp, { body: { service_id: wish.service, pdb_type: wish.type } })
    : asked(restoreBackup, { body: { backup_id: wish.backup, service_id: wish.into } })

/**
 * Asks for it and waits for its end, however long that takes. `onStarted`: the server has taken it, and its progress stands in
 * the row of the task. `begun`: whether it came so far, for a refusal before that is the form's to say.
 */
export const operate =
  (wish: Wish, intent: Intent, onStarted: () => void): AppThunk<{ begun: boolean; result: Result<unknown> }> =>
  async (_dispatch, _getState, { api }) => {
    const { endpoint, input } = askedFor(wish)
    const ask = (until: 'started' | 'done') => api.call(endpoint, input as never, { intent, until })
    const first = await ask('started')
    if (first.kind === 'problem') return { begun: false, result: first }
    onStarted()
    // The same wish once more is the one that runs, and is followed.
    return { begun: true, result: first.kind === 'started' ? await ask('done') : first }
  }
