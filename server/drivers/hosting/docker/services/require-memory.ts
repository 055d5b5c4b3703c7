import { HostingError, type InstanceConfig, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { type DockerContext, getLimitMb } from '#server/drivers/hosting/docker/services/docker-context.ts'
import type { EngineTask } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { labels } from '#server/drivers/hosting/docker/engine/object-names.ts'
import type { SwarmRecord } from '#server/drivers/hosting/docker/records/service-record.ts'
import {
  listNodeMemory,
  type NodeMemory,
  requireClusterMemory,
} from '#server/drivers/hosting/docker/services/cluster-memory.ts'
import { getTaskCount } from '#server/drivers/hosting/machine-memory.ts'

/** Returns the unreserved memory of all nodes, also counting services of others. The tasks of `ref` do not count. */
export async function readNodeMemory(
  { api, settings }: DockerContext,
  { serviceId }: Pick<InstanceRef, 'serviceId'>,
): Promise<NodeMemory[]> {
  const [nodes, tasks] = await Promise.all([api.listNodes(), api.listTasks({ 'desired-state': ['running'] })])
  const isOwnTask = ({ Spec }: EngineTask) => {
    const taskLabels = Spec.ContainerSpec?.Labels ?? {}
    return taskLabels[labels.portal] === settings.prefix && taskLabels[labels.service] === String(serviceId)
  }
  return listNodeMemory(nodes, tasks, isOwnTask)
}

/** Throws HostingError `no_memory`. */
export async function requireMemory(
  context: DockerContext,
  record: SwarmRecord,
  config: InstanceConfig,
): Promise<void> {
  requireClusterMemory(await readNodeMemory(context, record), record.node, config, getLimitMb(context, config))
}

/** Returns MB, or 0 for a setting that is no longer possible because the platform's sizes have changed: the next one is checked completely. */
export function getUsedMb(context: DockerContext, config: InstanceConfig): number {
  try {
    return getNeededMb(context, config)
  } catch (error) {
    if (error instanceof HostingError && error.fault === 'no_memory') return 0
    throw error
  }
}

/** Returns MB. */
export const getNeededMb = (context: DockerContext, config: InstanceConfig): number =>
  getTaskCount(config) * getLimitMb(context, config)
