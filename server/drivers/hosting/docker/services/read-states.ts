/** Reads what the states of services are derived from: four lists for all services together, not one call per service. */
import type { InstanceRef, InstanceState } from '#server/drivers/hosting/hosting-driver.ts'
import { type DockerContext, getAddress } from '#server/drivers/hosting/docker/services/docker-context.ts'
import type { EndedContainer, EngineService, EngineTask } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import type { EngineApi } from '#server/drivers/hosting/docker/engine/engine-api.ts'
import { isMissing } from '#server/drivers/hosting/docker/engine/engine-client.ts'
import { getFilters, getServiceName, labels } from '#server/drivers/hosting/docker/engine/object-names.ts'
import type { SwarmRecord } from '#server/drivers/hosting/docker/records/service-record.ts'
import { findOwnService } from '#server/drivers/hosting/docker/services/find-own-service.ts'
import { listEndedContainers } from '#server/drivers/hosting/docker/services/find-fault.ts'
import {
  needsHistory,
  type StateInput,
  toInstanceState,
} from '#server/drivers/hosting/docker/services/instance-state.ts'

/** Most containers whose end is examined for one answer. */
const maxExaminedContainers = 5

/** Null: the container is on another machine, or was removed. Its end does not change any more, so it is read once. */
const endedContainers = new Map<string, EndedContainer | null>()
const maxRememberedContainers = 1000

async function readEndedContainers(
  { api }: DockerContext,
  tasks: readonly EngineTask[],
): Promise<Map<string, EndedContainer>> {
  const ids = listEndedContainers(tasks)
  for (const id of ids.filter((containerId) => !endedContainers.has(containerId)).slice(0, maxExaminedContainers)) {
    if (endedContainers.size >= maxRememberedContainers) endedContainers.clear()
    // After an error it is read again the next time.
    const container = await api.findEndedContainer(id).catch(() => undefined)
    if (container !== undefined) endedContainers.set(id, container)
  }
  return new Map(
    ids.flatMap((id) => {
      const container = endedContainers.get(id)
      return container ? [[id, container] as const] : []
    }),
  )
}

/** Reads what the state of one service is derived from. */
export async function readStateInput(context: DockerContext, record: SwarmRecord): Promise<StateInput> {
  const { api, settings } = context
  const [service, nodesById] = await Promise.all([
    findOwnService(context, getServiceName(settings.prefix, record)),
    api.readNodes(),
  ])
  const tasks = service ? await listServiceTasks(api, service.ID) : []
  return {
    record,
    service,
    tasks,
    nodesById,
    containersById: await readEndedContainers(context, tasks),
    address: getAddress(context, record.code),
    now: settings.clock(),
  }
}

/** Current and earlier tasks. */
export async function listServiceTasks(api: EngineApi, serviceId: string): Promise<EngineTask[]> {
  try {
    return await api.listTasks({ service: [serviceId] })
  } catch (error) {
    // The service was removed in the meantime.
    if (isMissing(error)) return []
    throw error
  }
}

export interface SwarmSnapshot {
  records: SwarmRecord[]
  /** Swarm services of this portal, also maintenance services. */
  services: EngineService[]
  inputs: StateInput[]
}

/** Reads all services. Earlier tasks are only read for services whose state they explain. */
export async function readSnapshot(context: DockerContext): Promise<SwarmSnapshot> {
  const { api, records: store, settings } = context
  const filters = getFilters(settings.prefix)
  const [records, services, tasks, nodesById] = await Promise.all([
    store.list(),
    api.listServices(filters),
    api.listTasks({ ...filters, 'desired-state': ['running', 'ready'] }),
    api.readNodes(),
  ])
  const servicesByName = new Map(services.map((service) => [service.Spec.Name, service]))
  const findService = (record: SwarmRecord) => servicesByName.get(getServiceName(settings.prefix, record)) ?? null
  const tasksByService = Map.groupBy(tasks, ({ ServiceID }) => ServiceID)
  const getTasks = (service: EngineService | null) => (service && tasksByService.get(service.ID)) ?? []
  const explainedIds = records.flatMap((record) => {
    const service = findService(record)
    return service && needsHistory(record, service, getTasks(service)) ? [service.ID] : []
  })
  const history = explainedIds.length > 0 ? await api.listTasks({ service: explainedIds }).catch(toNoTasks) : []
  const historyByService = Map.groupBy(history, ({ ServiceID }) => ServiceID)
  const containersById = await readEndedContainers(context, history)
  const inputs = records.map((record) => {
    const service = findService(record)
    return {
      record,
      service,
      tasks: (service && historyByService.get(service.ID)) ?? getTasks(service),
      nodesById,
      containersById,
      address: getAddress(context, record.code),
      now: settings.clock(),
    }
  })
  return { records, services, inputs }
}

/** A service that was removed in the meantime. */
function toNoTasks(error: unknown): EngineTask[] {
  if (isMissing(error)) return []
  throw error
}

const isVisible = ({ record }: StateInput): boolean => record.erased !== 'yes'

export const listStates = (snapshot: SwarmSnapshot): InstanceState[] =>
  snapshot.inputs.filter(isVisible).map(toInstanceState)

/** Service and code of an object, from its labels. */
export function readRef({ Spec }: EngineService): InstanceRef {
  return { serviceId: Number(Spec.Labels[labels.service]), code: Spec.Labels[labels.code] ?? '' }
}
