/** Finds out from the tasks of a service why they do not run. Only calculations. */
import type { InstanceFault } from '#server/drivers/hosting/hosting-driver.ts'
import type { EngineNode, EngineTask } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { getSettingNumber, isNodeReady } from '#server/drivers/hosting/docker/services/task-states.ts'

/** Time in ms after which a task whose health check has not succeeded counts as a fault. */
const slowStartMs = 30_000

export interface FaultInput {
  /** Current and earlier tasks of the service. */
  tasks: readonly EngineTask[]
  /** Number of the setting whose tasks are examined. */
  number: number
  /** Id of the node that has the volume. */
  node: string | null
  nodesById: ReadonlyMap<string, EngineNode>
  /** Ids of containers that ended with 137 for another reason than their memory limit. */
  otherKills: ReadonlySet<string>
  now: number
}

export function findFault({ tasks, number, node, nodesById, otherKills, now }: FaultInput): InstanceFault | null {
  if (node !== null && !isNodeReady(nodesById.get(node))) return 'node_lost'
  const ownTasks = tasks
    .filter((task) => getSettingNumber(task) === number)
    .toSorted((a, b) => Date.parse(b.Status.Timestamp) - Date.parse(a.Status.Timestamp))
  const waitingTask = ownTasks.find(
    ({ Status, DesiredState }) => Status.State === 'pending' && DesiredState === 'running',
  )
  const failedTasks = ownTasks.filter(({ Status }) => isEnded(Status.State))
  const failureFault = getFailureFault(failedTasks, otherKills)
  if (waitingTask?.Status.Err) {
    if (/insufficient resources/.test(waitingTask.Status.Err)) return 'no_memory'
    if (/constraints|no suitable node/.test(waitingTask.Status.Err)) return 'node_lost'
  }
  if (failureFault !== null) return failureFault
  const startingTask = ownTasks.find(({ Status }) => Status.State === 'starting')
  return startingTask && now - Date.parse(startingTask.Status.Timestamp) > slowStartMs ? 'not_healthy' : null
}

const isEnded = (state: string): boolean => state === 'failed' || state === 'rejected' || state === 'complete'

/** `failedTasks`: the latest first. */
function getFailureFault(failedTasks: readonly EngineTask[], otherKills: ReadonlySet<string>): InstanceFault | null {
  const latestTask = failedTasks[0]
  if (!latestTask) return null
  const { State, Err = '', Message, ContainerStatus } = latestTask.Status
  // The engine names the image, or the answer of the registry.
  if (State === 'rejected')
    return /image|manifest|pull access|repository|registry/i.test(Err) ? 'no_image' : 'keeps_ending'
  // A task that was never healthy ends while it is "starting".
  if (/unhealthy container/.test(Err)) return Message === 'starting' ? 'not_healthy' : 'no_answer'
  const isKilled = ContainerStatus?.ExitCode === 137 || /\(137\)/.test(Err)
  if (isKilled && !otherKills.has(ContainerStatus?.ContainerID ?? '')) return 'out_of_memory'
  return 'keeps_ending'
}

/** Returns the containers that were killed, so that the caller can find out whether they exceeded their memory limit. */
export const listKilledContainers = (tasks: readonly EngineTask[]): string[] =>
  tasks.flatMap(({ Status }) =>
    Status.State === 'failed' && Status.ContainerStatus?.ExitCode === 137 && !/unhealthy/.test(Status.Err ?? '')
      ? (Status.ContainerStatus.ContainerID ?? [])
      : [],
  )
