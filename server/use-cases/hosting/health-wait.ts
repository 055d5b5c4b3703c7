/** Decides how long an operation waits until the instances of a service are healthy. Calculates only, so that a wait continues after a kill. */
import type { Deployment, InstanceFault, InstanceState } from '#server/drivers/hosting/hosting-driver.ts'

/** Times in epoch ms. */
export interface HealthWait {
  since: number
  /** When the number of healthy instances last grew, or an image was last being prepared. */
  progressAt: number
  healthyCount: number
  /** Fault of the latest check, and when it was first seen. */
  fault: { name: InstanceFault; since: number } | null
}

export type HealthResult =
  | { kind: 'healthy' }
  | { kind: 'waiting'; wait: HealthWait }
  | { kind: 'givenUp'; fault: InstanceFault }

/**
 * Times in ms: how long a wait may take without progress and in all, how long a fault that hardly ever goes away may last, and the pause
 * between two checks.
 */
export const healthCheckMs = { timeout: 90_000, total: 600_000, grace: 20_000, interval: 400 }

/** Waiting does not help against these faults: at once, or after some seconds, because tasks that end may free what is missing. */
const hopelessFaults: readonly InstanceFault[] = ['no_image']
const stubbornFaults: readonly InstanceFault[] = ['no_memory', 'keeps_ending']

/** Returns the deployment that the operation with this fence began, or null if it began none. */
export const findDeployment = (state: InstanceState | null, fence: number): Deployment | null =>
  state?.deployment?.fence === fence ? state.deployment : null

export function checkHealth(
  state: InstanceState | null,
  previousWait: HealthWait | undefined,
  { fence, now }: { fence: number; now: number },
): HealthResult {
  const deployment = findDeployment(state, fence)
  if (state && deployment?.state !== 'rolled_back' && isServiceUp(state, deployment)) return { kind: 'healthy' }
  const fault = deployment ? deployment.fault : (state?.fault ?? null)
  if (deployment?.state === 'rolled_back') return { kind: 'givenUp', fault: fault ?? 'not_healthy' }
  const wait = continueWait(previousWait, { fault, ...countInstances(state, fence) }, now)
  if (isPreparing(state, deployment)) wait.progressAt = now
  return isHopeless(wait, now)
    ? { kind: 'givenUp', fault: fault ?? (deployment ? 'not_healthy' : 'no_answer') }
    : { kind: 'waiting', wait }
}

function continueWait(
  previousWait: HealthWait | undefined,
  { fault, healthy }: { fault: InstanceFault | null; healthy: number },
  now: number,
): HealthWait {
  const { since, progressAt, healthyCount, fault: previousFault } = previousWait ?? createWait(now)
  const faultSince = previousFault?.name === fault ? previousFault?.since : now
  return {
    since,
    progressAt: healthy > healthyCount ? now : progressAt,
    healthyCount: Math.max(healthy, healthyCount),
    fault: fault && { name: fault, since: faultSince ?? now },
  }
}

const createWait = (now: number): HealthWait => ({ since: now, progressAt: now, healthyCount: 0, fault: null })

function isHopeless({ since, progressAt, fault }: HealthWait, now: number): boolean {
  if (fault && hopelessFaults.includes(fault.name)) return true
  if (fault && stubbornFaults.includes(fault.name) && now - fault.since >= healthCheckMs.grace) return true
  return now - progressAt > healthCheckMs.timeout || now - since > healthCheckMs.total
}

/** Whether no new task runs yet, and nothing is wrong: the platform gets the image, which may be large. */
const isPreparing = (state: InstanceState | null, deployment: Deployment | null): boolean =>
  deployment?.state === 'in_progress' &&
  deployment.fault === null &&
  deployment.healthyTasks === 0 &&
  state?.tasks.every((task) => task.healthy) === true

/** Returns the numbers of healthy and requested instances with the settings of the operation. */
export function countInstances(state: InstanceState | null, fence: number): { healthy: number; wanted: number } {
  const deployment = findDeployment(state, fence)
  if (deployment) return { healthy: deployment.healthyTasks, wanted: deployment.wantedTasks }
  const { tasks = [], config } = state ?? {}
  const healthy = tasks.filter((task) => task.healthy).length
  return { healthy, wanted: getTaskCount(config?.tasks ?? 1, tasks.length) }
}

/** -1 means that the platform decides, at least one. */
const getTaskCount = (configuredCount: number, runningCount: number) =>
  configuredCount === -1 ? Math.max(1, runningCount) : configuredCount

/** Whether the configured number of tasks runs with the current settings and all of them respond. */
function isServiceUp({ config, running, tasks }: InstanceState, deployment: Deployment | null): boolean {
  if (config.tasks === 0) return tasks.length === 0
  if (deployment && deployment.healthyTasks < deployment.wantedTasks) return false
  const count = getTaskCount(config.tasks, tasks.length)
  const isSame = running?.memoryMb === config.memoryMb && running.tasks === config.tasks
  return isSame && tasks.length === count && tasks.every(({ healthy }) => healthy)
}
