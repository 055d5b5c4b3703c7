/**
 * Opens the control endpoint of a service: that of a running task, or of a maintenance task. A maintenance task has the same image, storage
 * and token, but no route and no apps. It is used again for a minute.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import { type InstanceControl, openControl } from '#server/drivers/hosting/control/control-client.ts'
import { type DockerContext, getSpecSettings } from '#server/drivers/hosting/docker/services/docker-context.ts'
import { isConflict, isMissing, isOutOfSequence } from '#server/drivers/hosting/docker/engine/engine-client.ts'
import type { EngineService, EngineTask } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { getMaintenanceName, getServiceName, labels } from '#server/drivers/hosting/docker/engine/object-names.ts'
import { getWantedSetting, type SwarmRecord } from '#server/drivers/hosting/docker/records/service-record.ts'
import {
  buildMaintenanceSpec,
  buildTaskTemplate,
  containerPort,
} from '#server/drivers/hosting/docker/services/build-service-spec.ts'
import { removeStoppedService } from '#server/drivers/hosting/docker/services/apply-record.ts'
import { findOwnService } from '#server/drivers/hosting/docker/services/find-own-service.ts'
import { listServiceTasks } from '#server/drivers/hosting/docker/services/read-states.ts'
import { findFault } from '#server/drivers/hosting/docker/services/find-fault.ts'
import { resolveImage } from '#server/drivers/hosting/docker/services/resolve-image.ts'
import { deriveControlToken, ensureTaskObjects } from '#server/drivers/hosting/docker/services/service-objects.ts'
import { findTaskTarget, isNodeReady, isTaskHealthy } from '#server/drivers/hosting/docker/services/task-states.ts'

/** How long a maintenance task stays after its last use, in ms. While it is used, this is extended every 20 s. */
const lifeMs = 60_000
const extensionMs = 20_000
const maxStartMs = 90_000

export interface OpenControl {
  control: InstanceControl
  release: () => void
}

/** Opens a running task, or a maintenance task if none is healthy. */
export async function openServiceControl(context: DockerContext, record: SwarmRecord): Promise<OpenControl> {
  const target = getWantedSetting(record) && (await findRunningTask(context, record))
  if (!target) return openMaintenance(context, record)
  return { control: openTarget(context, record, target), release: () => undefined }
}

export async function withControl<T>(
  context: DockerContext,
  record: SwarmRecord,
  work: (control: InstanceControl) => Promise<T>,
): Promise<T> {
  const { control, release } = await openServiceControl(context, record)
  try {
    return await work(control)
  } finally {
    release()
  }
}

interface TaskTarget {
  host: string
  port: number
}

const openTarget = ({ settings }: DockerContext, record: SwarmRecord, { host, port }: TaskTarget): InstanceControl =>
  openControl({
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    token: deriveControlToken(settings, record),
  })

async function findRunningTask(context: DockerContext, record: SwarmRecord): Promise<TaskTarget | null> {
  const service = await findOwnService(context, getServiceName(context.settings.prefix, record))
  return service && findHealthyTarget(context, await listServiceTasks(context.api, service.ID))
}

async function findHealthyTarget(
  { api, settings }: DockerContext,
  tasks: readonly EngineTask[],
): Promise<TaskTarget | null> {
  const healthyTasks = tasks.filter(isTaskHealthy)
  if (healthyTasks.length === 0) return null
  const nodesById = await api.readNodes()
  for (const task of healthyTasks) {
    const node = nodesById.get(task.NodeID ?? '')
    const target = isNodeReady(node) ? findTaskTarget(task, containerPort, node, settings.nodeAddress) : null
    if (target) return target
  }
  return null
}

/** Throws HostingError `no_image`, or `unreachable` if the maintenance task does not become healthy. */
export async function openMaintenance(context: DockerContext, record: SwarmRecord): Promise<OpenControl> {
  const { api, settings } = context
  const deadline = settings.clock() + maxStartMs
  for (;;) {
    const service = await ensureMaintenance(context, record)
    const tasks = service ? await listServiceTasks(api, service.ID) : []
    const target = await findHealthyTarget(context, tasks)
    if (target && service) {
      const timer = setInterval(() => void extend(context, service.ID).catch(() => undefined), extensionMs)
      timer.unref()
      return { control: openTarget(context, record, target), release: () => clearInterval(timer) }
    }
    await requireNoFault(context, record, tasks)
    if (settings.clock() > deadline)
      throw new HostingError(
        'unreachable',
        `the maintenance task of the service ${record.code} does not become healthy`,
      )
    await wait(200)
  }
}

async function requireNoFault(
  { api, settings }: DockerContext,
  record: SwarmRecord,
  tasks: EngineTask[],
): Promise<void> {
  if (tasks.length === 0) return
  const nodesById = await api.readNodes()
  const number = tasks[0]?.Spec.ForceUpdate ?? 0
  const fault = findFault({
    tasks,
    number,
    node: record.node,
    nodesById,
    containersById: new Map(),
    wasHealthy: false,
    now: settings.clock(),
  })
  if (fault === null) return
  throw new HostingError(
    fault === 'no_image' ? 'no_image' : 'unreachable',
    `the maintenance task of the service ${record.code} does not run: ${fault}`,
  )
}

/** Returns null if another call changed the maintenance service at the same time. */
async function ensureMaintenance(context: DockerContext, record: SwarmRecord): Promise<EngineService | null> {
  const { api, settings } = context
  const service = await findOwnService(context, getMaintenanceName(settings.prefix, record))
  if (service?.Spec.Labels[labels.removal] !== undefined) {
    await removeStoppedService(context, service.ID)
    return null
  }
  if (service) return extend(context, service.ID)
  const specSettings = getSpecSettings(context, record.code)
  const image = record.active?.image ?? (await resolveImage(api, settings.image, settings.registry))
  const setting = { number: 0, fence: record.fence, config: record.active?.config ?? record.config, apps: [], image }
  const objects = await ensureTaskObjects(api, settings, record, null)
  const template = buildTaskTemplate(record, setting, objects, specSettings, 'maintenance')
  const spec = buildMaintenanceSpec(record, template, specSettings, settings.clock() + lifeMs)
  return tryChange(async () => {
    const id = await api.createService(spec, settings.registry)
    const currentRecord = await context.records.find(record)
    if (currentRecord && currentRecord.erased === record.erased) return api.findService(id)
    const orphan = await api.findService(id)
    if (orphan) await removeMaintenance(context, orphan)
    throw new HostingError('overtaken', `the service ${record.code} was erased in the meantime`)
  })
}

/** Returns null if somebody else changed the service at the same time. */
async function extend({ api, settings }: DockerContext, serviceId: string): Promise<EngineService | null> {
  const service = await api.findService(serviceId)
  if (!service || service.Spec.Labels[labels.removal] !== undefined) return null
  const expiresAt = Number(service.Spec.Labels[labels.expiry] ?? 0)
  const now = settings.clock()
  if (expiresAt > now + lifeMs / 2) return service
  const nextLabels = { ...service.Spec.Labels, [labels.expiry]: String(now + lifeMs) }
  return tryChange(async () => {
    await api.updateService(service, { ...service.Spec, Labels: nextLabels }, settings.registry)
    return service
  })
}

/** Removes a maintenance service. It is marked first, so that it is not removed while another call extends it. */
export async function removeMaintenance(context: DockerContext, service: EngineService): Promise<void> {
  const { api, settings } = context
  const { Spec: spec } = service
  const markedSpec = {
    ...spec,
    Labels: { ...spec.Labels, [labels.removal]: 'yes' },
    Mode: { Replicated: { Replicas: 0 } },
  }
  const isMarked =
    spec.Labels[labels.removal] !== undefined ||
    (await tryChange(async () => {
      await api.updateService(service, markedSpec, settings.registry)
      return true
    }))
  if (isMarked) await removeStoppedService(context, service.ID)
}

async function tryChange<T>(change: () => Promise<T>): Promise<T | null> {
  try {
    return await change()
  } catch (error) {
    if (isConflict(error) || isOutOfSequence(error) || isMissing(error)) return null
    throw error
  }
}
