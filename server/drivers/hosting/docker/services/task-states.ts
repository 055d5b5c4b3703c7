/** The states of a Swarm task. Only calculations. */
import type { EngineNode, EngineTask } from '#server/drivers/hosting/docker/engine/engine-types.ts'

const endStates = new Set(['complete', 'shutdown', 'failed', 'rejected', 'orphaned', 'remove'])

export const isNodeReady = (node: EngineNode | undefined): boolean => node?.Status.State === 'ready'

/** Whether a process of the task may still run. A node that the Swarm has lost is not waited for. */
export const mayRun = (task: EngineTask, nodesById: ReadonlyMap<string, EngineNode>): boolean =>
  !endStates.has(task.Status.State) && (!task.NodeID || isNodeReady(nodesById.get(task.NodeID)))

/** A task is `starting` until its health check succeeds for the first time. */
export const isTaskHealthy = (task: EngineTask): boolean =>
  task.Status.State === 'running' && task.DesiredState === 'running'

export const hasContainer = (task: EngineTask): boolean =>
  task.Status.State === 'running' || task.Status.State === 'starting'

export const getSettingNumber = (task: EngineTask): number => task.Spec.ForceUpdate ?? 0

/** Returns host and port at which a running task responds. Null if it publishes no port. */
export function findTaskTarget(
  task: EngineTask,
  port: number,
  node: EngineNode | undefined,
  nodeAddress: string | null,
): { host: string; port: number } | null {
  const published = task.Status.PortStatus?.Ports?.find(({ TargetPort }) => TargetPort === port)?.PublishedPort
  const host = nodeAddress ?? findNodeHost(node)
  return published === undefined || host === null ? null : { host, port: published }
}

/** Managers that were started without an address report `0.0.0.0`, and their address only as that of the manager. */
function findNodeHost(node: EngineNode | undefined): string | null {
  const address = node?.Status.Addr
  if (address && address !== '0.0.0.0') return address
  return node?.ManagerStatus?.Addr?.replace(/:\d+$/, '') ?? null
}
