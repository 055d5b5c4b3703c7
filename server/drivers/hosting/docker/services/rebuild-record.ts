/**
 * Creates a record again that somebody has removed from the Swarm, from the Swarm service of the hosted service. Otherwise the portal could
 * neither see the service nor change it.
 */
import type { InstanceConfig, InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { EngineService, EngineTaskTemplate } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { getServiceName, labels } from '#server/drivers/hosting/docker/engine/object-names.ts'
import { isAppList } from '#server/drivers/hosting/docker/records/parse-record.ts'
import type { RecordedApp, SwarmRecord } from '#server/drivers/hosting/docker/records/service-record.ts'
import type { DockerContext } from '#server/drivers/hosting/docker/services/docker-context.ts'
import { findOwnService } from '#server/drivers/hosting/docker/services/find-own-service.ts'
import { type SwarmSnapshot, readRef } from '#server/drivers/hosting/docker/services/read-states.ts'

/** Does nothing if the service has a record, or no Swarm service. */
export async function rebuildRecord(context: DockerContext, ref: InstanceRef): Promise<void> {
  const { records, settings } = context
  if ((await records.find(ref)) !== null) return
  const service = await findOwnService(context, getServiceName(settings.prefix, ref))
  if (service === null || !isOfHostedService(service, settings.prefix) || readRef(service).code !== ref.code) return
  const apps = await readApps(context, service.Spec.TaskTemplate)
  const fence = toCount(service.Spec.Labels[labels.fence])
  const record = await records.change(ref, fence, (current) => current ?? toRecord(service, apps))
  settings.log.warn(
    { event: 'service_record_rebuilt', service: record?.code, fence },
    'the record of a hosted service was missing in the swarm and was created again from its swarm service',
  )
}

/** Swarm services of hosted services without a record that can be read. */
export function listUnrecorded({ services, records }: SwarmSnapshot, prefix: string): InstanceRef[] {
  const recordedIds = new Set(records.map(({ serviceId }) => serviceId))
  return services.flatMap((service) => {
    const ref = readRef(service)
    return isOfHostedService(service, prefix) && !recordedIds.has(ref.serviceId) ? [ref] : []
  })
}

/** A service that is being removed had a record that said so. */
const isOfHostedService = (service: EngineService, prefix: string): boolean =>
  service.Spec.Labels[labels.kind] === 'service' &&
  service.Spec.Labels[labels.removal] === undefined &&
  service.Spec.Name === getServiceName(prefix, readRef(service))

/** The data was probably used, so it counts as data that must not be taken for new. */
function toRecord(service: EngineService, apps: readonly RecordedApp[]): SwarmRecord {
  const { Labels: serviceLabels, TaskTemplate: template, Mode: mode } = service.Spec
  const fence = toCount(serviceLabels[labels.fence])
  const number = template.ForceUpdate ?? 0
  const config = readConfig(template)
  const isRunning = (mode.Replicated?.Replicas ?? 0) > 0
  const ref = readRef(service)
  return {
    ...ref,
    format: 1,
    name: ref.code,
    fence,
    revision: toCount(serviceLabels[labels.revision]),
    created: true,
    erased: 'no',
    hadData: true,
    hasPassword: true,
    wanted: isRunning ? 'running' : 'stopped',
    config,
    apps,
    active: isRunning ? { number, fence, config, apps, image: template.ContainerSpec.Image } : null,
    // After a rollback the previous tasks have a higher number, which must not be used again.
    lastNumber: Math.max(number, service.PreviousSpec?.TaskTemplate.ForceUpdate ?? 0),
    deployment: null,
    node: readNode(template),
    pausedUntil: null,
  }
}

const toCount = (text: string | undefined): number => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : 0)

function readConfig({ ContainerSpec }: EngineTaskTemplate): InstanceConfig {
  const { [labels.memory]: memory, [labels.tasks]: tasks } = ContainerSpec.Labels ?? {}
  return { memoryMb: toCount(memory), tasks: tasks === '-1' ? -1 : Math.max(1, toCount(tasks)) }
}

function readNode({ Placement }: EngineTaskTemplate): string | null {
  const { Constraints: constraints } = (Placement ?? {}) as { Constraints?: readonly string[] }
  return constraints?.flatMap((text) => /^node\.id==(\w+)$/.exec(text)?.[1] ?? [])[0] ?? null
}

/** Reads the list that the tasks have as APPS_FILE. Empty if it is missing. */
async function readApps({ api }: DockerContext, { ContainerSpec }: EngineTaskTemplate): Promise<RecordedApp[]> {
  const [reference] = (ContainerSpec['Configs'] ?? []) as readonly { ConfigID?: string }[]
  const config = reference?.ConfigID ? await api.findConfig('configs', reference.ConfigID) : null
  try {
    const apps: unknown = JSON.parse(Buffer.from(config?.Spec.Data ?? '', 'base64').toString())
    return isAppList(apps) ? (apps as RecordedApp[]) : []
  } catch {
    return []
  }
}
