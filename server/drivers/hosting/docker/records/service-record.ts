/** The record of a hosted service and its changes. Only calculations; record-store.ts stores it. */
import {
  HostingError,
  type InstanceApp,
  type InstanceConfig,
  type InstanceFault,
  type InstanceRef,
} from '#server/drivers/hosting/hosting-driver.ts'
import type { EngineService } from '#server/drivers/hosting/docker/engine/engine-types.ts'

export interface RecordedApp extends Omit<InstanceApp, 'package'> {
  /** SHA-256 of the package. Null if the app was published before packages were stored. */
  package: string | null
}

/** The settings with which tasks are started. A changed configuration becomes active only at a start. */
export interface TaskSetting {
  /** Increases with each setting. It is the `ForceUpdate` of the tasks, which identifies their setting. */
  number: number
  fence: number
  config: InstanceConfig
  apps: readonly RecordedApp[]
  image: string
}

export interface RecordedDeployment {
  fence: number
  state: 'in_progress' | 'completed' | 'rolled_back'
  /** Number of the setting that was deployed. */
  number: number
  /** The setting that ran before. Null if none ran, or if the deployment is no longer in progress. */
  previous: TaskSetting | null
  fault: InstanceFault | null
  /** Start of the Swarm's update before this deployment. A rollback that the Swarm reports with the same time is an earlier one. */
  earlierUpdate: string | null
  /** True if the operation itself rolled it back. Its delayed calls are refused then. */
  isGivenUp: boolean
}

export interface SwarmRecord extends InstanceRef {
  format: 1
  name: string
  /** The latest operation. Earlier ones are refused. */
  fence: number
  /** Increases with each change of the record. */
  revision: number
  created: boolean
  /** True while and after the service is erased. The record then remains only for its fence. */
  erased: 'no' | 'in_progress' | 'yes'
  /** `hadData` in the result of the latest `prepare`. */
  hadData: boolean
  /** True if somebody may have signed in since the data was created. */
  hasPassword: boolean
  wanted: 'running' | 'stopped'
  config: InstanceConfig
  apps: readonly RecordedApp[]
  active: TaskSetting | null
  lastNumber: number
  deployment: RecordedDeployment | null
  /** Id of the node that has the volume. Null if the data is in a database. */
  node: string | null
  /** Epoch ms until which no task may run because the data is being replaced. Null if it is not. */
  pausedUntil: number | null
}

/** Returns the setting with which tasks should run now. Null if no task should run. */
export const getWantedSetting = (record: SwarmRecord): TaskSetting | null =>
  record.created && record.wanted === 'running' ? record.active : null

const isSameSetting = (first: Pick<TaskSetting, 'config' | 'apps' | 'image'>, second: TaskSetting): boolean =>
  JSON.stringify([first.config.memoryMb, first.config.tasks, first.apps, first.image]) ===
  JSON.stringify([second.config.memoryMb, second.config.tasks, second.apps, second.image])

export interface StartInput {
  fresh: boolean
  fence: number
  image: string
  earlierUpdate: string | null
  /** Whether all tasks of the present setting are healthy. A setting that never was is not one to return to. */
  isHealthy: boolean
}

/** Whether a start changes nothing. */
export function keepsTasks(record: SwarmRecord, { fresh, fence }: Pick<StartInput, 'fresh' | 'fence'>): boolean {
  const { active, deployment } = record
  const isRunning = record.wanted === 'running' && active !== null
  // A repeated call does not deploy again what the platform has already rolled back.
  return isRunning && (!fresh || (deployment?.fence === fence && deployment.state === 'rolled_back'))
}

/** Returns the record after a start; the same object if the tasks stay as they are. */
export function startRecord(record: SwarmRecord, input: StartInput): SwarmRecord {
  const { active, config, apps } = record
  const { fence, image, earlierUpdate } = input
  const isRunning = record.wanted === 'running' && active !== null
  if (keepsTasks(record, input)) return record
  if (isRunning && active.fence >= fence && isSameSetting({ config, apps, image }, active)) return record
  const number = record.lastNumber + 1
  const previous = isRunning ? getPreviousSetting(record, active, input.isHealthy) : null
  return {
    ...record,
    wanted: 'running',
    active: { number, fence, config, apps, image },
    lastNumber: number,
    deployment: { fence, state: 'in_progress', number, previous, fault: null, earlierUpdate, isGivenUp: false },
  }
}

/** If the tasks of the deployment before are not healthy, they may be broken. Then the platform returns to the setting before it. */
function getPreviousSetting({ deployment }: SwarmRecord, active: TaskSetting, isHealthy: boolean): TaskSetting | null {
  return deployment?.state === 'in_progress' && !isHealthy ? deployment.previous : active
}

/** Returns the record after a stop or a removal. The platform has nothing to return to any more. */
export const stopRecord = (record: SwarmRecord): SwarmRecord => ({
  ...record,
  wanted: 'stopped',
  active: null,
  deployment: null,
})

export function completeDeployment(record: SwarmRecord, fence: number): SwarmRecord {
  const { deployment } = record
  if (deployment?.fence !== fence || deployment.state !== 'in_progress') return record
  return { ...record, deployment: { ...deployment, state: 'completed', previous: null, fault: null } }
}

/**
 * Returns to the setting before the deployment, and to its apps. The requested configuration stays: the next start uses it. A service that
 * did not run before keeps its new tasks.
 */
export function rollBackRecord(
  record: SwarmRecord,
  fence: number,
  fault: InstanceFault,
  isGivenUp: boolean,
): SwarmRecord {
  const { deployment } = record
  if (deployment?.fence !== fence) return restoreApps(record)
  if (deployment.state === 'completed') return record
  if (deployment.state === 'rolled_back')
    return isGivenUp ? { ...record, deployment: { ...deployment, isGivenUp } } : record
  const { previous } = deployment
  if (previous === null) return isGivenUp ? { ...record, deployment: { ...deployment, fault } } : record
  return {
    ...record,
    active: previous,
    apps: previous.apps,
    deployment: { ...deployment, state: 'rolled_back', previous: null, fault, isGivenUp },
  }
}

/** Refuses delayed calls of an operation that has rolled back its deployment. Throws HostingError `overtaken`. */
export function requireNotGivenUp({ deployment }: SwarmRecord, fence: number): void {
  if (deployment?.fence !== fence || !deployment.isGivenUp) return
  throw new HostingError('overtaken', `the operation ${fence} was rolled back`)
}

/** Whether the Swarm itself has returned to the setting before the deployment, because its tasks failed. */
export function isRolledBackBySwarm({ deployment }: SwarmRecord, service: EngineService | null): boolean {
  if (deployment?.state !== 'in_progress' || deployment.previous === null || service === null) return false
  const { State: state = '', StartedAt: startedAt = null } = service.UpdateStatus ?? {}
  const isRollback = state.startsWith('rollback') && startedAt !== deployment.earlierUpdate
  return isRollback && service.Spec.TaskTemplate.ForceUpdate === deployment.previous.number
}

/** The fault of a deployment that was rolled back stays until the next operation. */
export function raiseFence(record: SwarmRecord, fence: number): SwarmRecord {
  if (fence === record.fence) return record
  const { deployment } = record
  const isOver = deployment !== null && deployment.state !== 'in_progress' && deployment.fault !== null
  return { ...record, fence, deployment: isOver ? { ...deployment, fault: null } : deployment }
}

/** The start was refused, so there is no deployment. The next start must not use the apps that were installed for it. */
const restoreApps = (record: SwarmRecord): SwarmRecord =>
  record.active === null || record.apps === record.active.apps ? record : { ...record, apps: record.active.apps }
