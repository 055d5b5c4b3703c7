/** Calculates which nodes of the Swarm have memory for the tasks of a service, in MB. */
import { HostingError, type InstanceConfig } from '#server/drivers/hosting/hosting-driver.ts'
import type { EngineNode, EngineTask } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { getMemoryLimit, getTaskCount } from '#server/drivers/hosting/machine-memory.ts'

const megabyte = 1024 * 1024

/** Rounds up to the platform's sizes. Throws HostingError `no_memory` if the largest size is too small. */
export function getTaskLimit(config: InstanceConfig, sizes: readonly number[] | null): number {
  const requestedMb = getMemoryLimit(config)
  if (sizes === null) return requestedMb
  const size = sizes.toSorted((a, b) => a - b).find((sizeMb) => sizeMb >= requestedMb)
  if (size !== undefined) return size
  const largestMb = Math.max(0, ...sizes)
  throw new HostingError(
    'no_memory',
    `tasks can have at most ${largestMb} MB, but the service needs ${requestedMb} MB`,
    {
      details: toDetails(config, requestedMb, largestMb),
    },
  )
}

function toDetails(config: InstanceConfig, limitMb: number, freeMb: number): Record<string, string> {
  const tasks = getTaskCount(config)
  return {
    tasks: String(tasks),
    memory: String(limitMb),
    beside: '0',
    needed: String(tasks * limitMb),
    free: String(freeMb),
  }
}

export interface NodeMemory {
  id: string
  freeMb: number
}

/** Nodes that can get tasks. The reservations of a service's own tasks do not count. */
export function listNodeMemory(
  nodes: readonly EngineNode[],
  tasks: readonly EngineTask[],
  isOwnTask: (task: EngineTask) => boolean,
): NodeMemory[] {
  const reservedBytes = new Map<string, number>()
  for (const task of tasks)
    if (task.NodeID && !isOwnTask(task))
      reservedBytes.set(
        task.NodeID,
        (reservedBytes.get(task.NodeID) ?? 0) + (task.Spec.Resources?.Reservations?.MemoryBytes ?? 0),
      )
  return nodes
    .filter(({ Status, Spec }) => Status.State === 'ready' && Spec.Availability === 'active')
    .map(({ ID, Description }) => ({
      id: ID,
      freeMb: Math.max(
        0,
        Math.floor(((Description.Resources?.MemoryBytes ?? 0) - (reservedBytes.get(ID) ?? 0)) / megabyte),
      ),
    }))
}

/** Throws HostingError `no_memory` if the nodes, or the node with the volume, cannot get all tasks of the service. */
export function requireClusterMemory(
  nodes: readonly NodeMemory[],
  volumeNode: string | null,
  config: InstanceConfig,
  limitMb: number,
): void {
  const taskCount = getTaskCount(config)
  const usableNodes = volumeNode === null ? nodes : nodes.filter(({ id }) => id === volumeNode)
  const possibleTasks = usableNodes.reduce((sum, { freeMb }) => sum + Math.floor(freeMb / limitMb), 0)
  if (possibleTasks >= taskCount) return
  const freeMb = usableNodes.reduce((sum, node) => sum + node.freeMb, 0)
  const neededMb = taskCount * limitMb
  throw new HostingError('no_memory', `the service needs ${neededMb} MB, but only ${freeMb} MB of the Swarm are free`, {
    details: toDetails(config, limitMb, freeMb),
  })
}

/** Returns the node with the most unreserved memory, or null if no node can get tasks. */
export const chooseNode = (nodes: readonly NodeMemory[]): string | null =>
  nodes.toSorted((a, b) => b.freeMb - a.freeMb)[0]?.id ?? null
