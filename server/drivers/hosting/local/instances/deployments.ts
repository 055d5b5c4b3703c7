/**
 * Deployments of an instance: a start with new settings, until all of its tasks were healthy once. The record keeps the setting that ran
 * before, so that also a later supervisor can return to it. The functions only calculate changes of the record.
 */
import type { Deployment, InstanceFault } from '#server/drivers/hosting/hosting-driver.ts'
import type { ActiveSetting, DeploymentRecord, InstanceRecord } from '#server/drivers/hosting/local/instances/files.ts'

type DeploymentChanges = Partial<Pick<InstanceRecord, 'active' | 'apps' | 'deployment'>>

/** Returns the setting for the next tasks: the same object if the setting stays as it is. */
export function getNextActive(currentRecord: InstanceRecord, isFresh: boolean, fence: number): ActiveSetting {
  const { active, config, apps, deployment } = currentRecord
  // Also tasks of a setting that was rolled back may still run, so its number is not used again.
  const number = Math.max(active?.number ?? 0, deployment?.setting ?? 0) + 1
  const nextSetting = { number, fence, config, apps }
  if (!active || currentRecord.wanted === 'stopped') return nextSetting
  if (!isFresh) return active
  const isSame = JSON.stringify([active.config, active.apps]) === JSON.stringify([config, apps])
  return active.fence >= fence && isSame ? active : nextSetting
}

/** `isHealthy` says whether all tasks of the present setting are healthy. A setting that never was is not one to return to. */
export function beginDeployment(
  { wanted: targetState, active, deployment }: InstanceRecord,
  nextSetting: ActiveSetting,
  { isHealthy, now }: { isHealthy: boolean; now: number },
): DeploymentRecord {
  const isUnproven = deployment?.state === 'in_progress' && !isHealthy
  const previous = targetState === 'stopped' ? null : isUnproven ? deployment.previous : active
  const { fence, number: setting } = nextSetting
  return { fence, setting, since: now, state: 'in_progress', fault: null, previous }
}

/** Returns no changes if the deployment was completed before or belongs to another operation. */
export function completeDeployment({ deployment }: InstanceRecord, fence: number): DeploymentChanges {
  if (deployment?.fence !== fence || deployment.state !== 'in_progress') return {}
  return { deployment: { ...deployment, state: 'completed', fault: null, previous: null } }
}

/**
 * The apps return with the setting. The requested configuration stays: it is what the next start uses. If the operation began no
 * deployment, because its start was refused, only the apps return that were installed for it.
 */
export function rollBackDeployment(record: InstanceRecord, fault: InstanceFault, fence: number): DeploymentChanges {
  const { deployment, active } = record
  if (deployment?.fence !== fence) return active && record.wanted === 'running' ? { apps: active.apps } : {}
  if (deployment.state !== 'in_progress') return {}
  const { previous } = deployment
  if (previous === null) return { deployment: { ...deployment, fault } }
  return {
    active: previous,
    apps: previous.apps,
    deployment: { ...deployment, state: 'rolled_back', fault, previous: null },
  }
}

export const isRolledBack = ({ deployment }: Pick<InstanceRecord, 'deployment'>, fence: number): boolean =>
  deployment?.fence === fence && deployment.state === 'rolled_back'

/** Tasks of the deployment, and why they are not healthy by the checks of this machine. */
interface DeploymentTasks {
  healthyCount: number
  fault: InstanceFault | null
}

/** `beginMs` is the time that a task may take to start. */
export function toDeploymentState(
  { fence, state, fault, since }: DeploymentRecord,
  wantedTasks: number,
  tasks: DeploymentTasks,
  { now, beginMs }: { now: number; beginMs: number },
): Deployment {
  const isHealthy = tasks.healthyCount >= wantedTasks
  const isLate = tasks.healthyCount === 0 && now - since > beginMs
  const observedFault = isHealthy ? null : (tasks.fault ?? (isLate ? 'not_healthy' : null))
  return {
    fence,
    state,
    healthyTasks: state === 'rolled_back' ? 0 : Math.min(tasks.healthyCount, wantedTasks),
    wantedTasks,
    fault: state === 'in_progress' ? (observedFault ?? fault) : fault,
  }
}
