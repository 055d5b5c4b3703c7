/** Finds out from the tasks of a service why they do not run. Only calculations. */
import type { InstanceFault } from '#server/drivers/hosting/hosting-driver.ts'
import { startPeriodSeconds } from '#server/drivers/hosting/docker/engine/engine-api.ts'
import type { EndedContainer, EngineNode, EngineTask } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { getSettingNumber, isNodeReady } from '#server/drivers/hosting/docker/services/task-states.ts'

/** Time in ms after which a task whose health check has not succeeded counts as a fault. */
const slowStartMs = 30_000

/** Exit codes of a program that ends because it was told to. */
const politeExitCodes = [0, 143]

export interface FaultInput {
  /** Current and earlier tasks of the service. */
  tasks: readonly EngineTask[]
  /** Number of the setting whose tasks are examined. */
  number: number
  /** Id of the node that has the volume. */
  node: string | null
  nodesById: ReadonlyMap<string, EngineNode>
  /** Ended containers of this machine, by id. */
  containersById: ReadonlyMap<string, EndedContainer>
  /** Whether the tasks with this setting were healthy before. */
  wasHealthy: boolean
  now: number
}

export function findFault({
  tasks,
  number,
  node,
  nodesById,
  containersById,
  wasHealthy,
  now,
}: FaultInput): InstanceFault | null {
  if (node !== null && !isNodeReady(nodesById.get(node))) return 'node_lost'
  const ownTasks = tasks
    .filter((task) => getSettingNumber(task) === number)
    .toSorted((a, b) => Date.parse(b.Status.Timestamp) - Date.parse(a.Status.Timestamp))
  const waitingError = ownTasks.find(isWaiting)?.Status.Err ?? ''
  if (/insufficient resources/.test(waitingError)) return 'no_memory'
  if (/constraints|no suitable node/.test(waitingError)) return 'node_lost'
  const endedTask = ownTasks.find(isEnded)
  if (endedTask) {
    const container = containersById.get(endedTask.Status.ContainerStatus?.ContainerID ?? '')
    return getEndFault(endedTask, container, wasHealthy)
  }
  const startingTask = ownTasks.find(({ Status }) => Status.State === 'starting')
  return startingTask && now - Date.parse(startingTask.Status.Timestamp) > slowStartMs ? 'not_healthy' : null
}

const isWaiting = ({ Status, DesiredState }: EngineTask): boolean =>
  Status.State === 'pending' && DesiredState === 'running'

/** Tasks that the driver has stopped are `shutdown` instead. */
const isEnded = ({ Status }: EngineTask): boolean =>
  Status.State === 'failed' || Status.State === 'rejected' || Status.State === 'complete'

function getEndFault(task: EngineTask, container: EndedContainer | undefined, wasHealthy: boolean): InstanceFault {
  const { State: state, Err: error = '' } = task.Status
  // The engine names the image, or the answer of the registry.
  if (state === 'rejected')
    return /image|manifest|pull access|repository|registry/i.test(error) ? 'no_image' : 'keeps_ending'
  if (container?.isOutOfMemory) return 'out_of_memory'
  if (container?.isUnhealthy ?? seemsUnhealthy(task)) return wasHealthy ? 'no_answer' : 'not_healthy'
  const isKilled = task.Status.ContainerStatus?.ExitCode === 137
  return isKilled && !container ? 'out_of_memory' : 'keeps_ending'
}

/**
 * The Swarm ends a task whose health check fails, but its status does not say so if the program ends politely. Used for containers of other
 * machines.
 */
function seemsUnhealthy({ CreatedAt, Status }: EngineTask): boolean {
  if (/unhealthy/.test(Status.Err ?? '')) return true
  const lifeMs = Date.parse(Status.Timestamp) - Date.parse(CreatedAt)
  return lifeMs >= startPeriodSeconds * 1000 && politeExitCodes.includes(Status.ContainerStatus?.ExitCode ?? -1)
}

/** Returns the latest containers that ended, so that the caller can find out why. */
export const listEndedContainers = (tasks: readonly EngineTask[]): string[] =>
  tasks
    .filter(isEnded)
    .toSorted((a, b) => Date.parse(b.Status.Timestamp) - Date.parse(a.Status.Timestamp))
    .flatMap(({ Status }) => Status.ContainerStatus?.ContainerID || [])
