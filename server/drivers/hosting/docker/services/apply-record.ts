/**
 * Makes the Swarm service of a hosted service match its record. Each change is a compare-and-set with the version of the Swarm service.
 * Every attempt reads the record again. So it does not matter which operation is delayed: the latest record wins.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { HostingError, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { type DockerContext, getSpecSettings } from '#server/drivers/hosting/docker/services/docker-context.ts'
import { isConflict, isMissing, isOutOfSequence } from '#server/drivers/hosting/docker/engine/engine-client.ts'
import type {
  EngineNode,
  EngineService,
  EngineServiceSpec,
  EngineTask,
} from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { getServiceName, labels } from '#server/drivers/hosting/docker/engine/object-names.ts'
import { isRolledBackBySwarm, type SwarmRecord } from '#server/drivers/hosting/docker/records/service-record.ts'
import {
  buildServiceSpec,
  buildTaskTemplate,
  findTaskTemplate,
} from '#server/drivers/hosting/docker/services/build-service-spec.ts'
import { findOwnService } from '#server/drivers/hosting/docker/services/find-own-service.ts'
import { listServiceTasks, readStateInput } from '#server/drivers/hosting/docker/services/read-states.ts'
import { settleRecord } from '#server/drivers/hosting/docker/services/instance-state.ts'
import { ensureTaskObjects } from '#server/drivers/hosting/docker/services/service-objects.ts'
import { isNodeReady, mayRun } from '#server/drivers/hosting/docker/services/task-states.ts'

const maxAttempts = 50
/** Tasks get 30 s to end, so this is only exceeded if the engine has a problem. */
const maxStopMs = 90_000
/** The manager deletes ended tasks every 250 ms. */
const deletionIntervalMs = 600

/** Throws HostingError `overtaken` if a later operation than `fence` has changed the record in the meantime. */
export async function applyRecord(context: DockerContext, ref: InstanceRef, fence: number): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const record = await context.records.find(ref)
    const service = await findOwnService(context, getServiceName(context.settings.prefix, ref))
    if (service && service.Spec.Labels[labels.code] !== ref.code)
      throw new HostingError('no_instance', `the service ${ref.code} does not exist`)
    const isDone = isNewer(service, record) ? false : await applyOnce(context, record, service)
    if (isDone) {
      if (record && record.fence > fence)
        throw new HostingError('overtaken', `a later operation than ${fence} was already executed`)
      return
    }
    await wait(Math.min(1000, 10 * attempt))
  }
  throw new HostingError('unreachable', `the Swarm service of ${ref.code} changes all the time`)
}

/** Whether the service was changed to a later record than the one that was read before. */
const isNewer = (service: EngineService | null, record: SwarmRecord | null): boolean =>
  Number(service?.Spec.Labels[labels.revision] ?? 0) > (record?.revision ?? 0) && record !== null

/** Returns true if there is nothing to change. */
async function applyOnce(
  context: DockerContext,
  record: SwarmRecord | null,
  service: EngineService | null,
): Promise<boolean> {
  if (service && record && (!record.created || service.Spec.Labels[labels.removal] !== undefined)) {
    await removeSwarmService(context, record, service)
    return false
  }
  if (!record?.created) return true
  if (isRolledBackBySwarm(record, service)) {
    await storeSwarmRollback(context, record)
    return false
  }
  const spec = await buildNextSpec(context, record, service)
  if (!spec || (service && isSameSpec(service.Spec, spec))) return true
  if (service && spec.Mode.Replicated?.Replicas === 0) await context.log.collect(record)
  await writeService(context, service, spec)
  return false
}

/** Stores that the Swarm has returned to the earlier tasks of a service by itself. Returns the record. */
export async function storeSwarmRollback(context: DockerContext, record: SwarmRecord): Promise<SwarmRecord> {
  const input = await readStateInput(context, record)
  const storedRecord = await context.records.change(record, record.fence, (currentRecord) =>
    currentRecord ? settleRecord({ ...input, record: currentRecord }) : null,
  )
  return storedRecord ?? record
}

/** Returns false if somebody else changed the service at the same time. */
async function writeService(
  { api, settings }: DockerContext,
  service: EngineService | null,
  spec: EngineServiceSpec,
): Promise<boolean> {
  try {
    if (service) await api.updateService(service, spec, settings.registry)
    else await api.createService(spec, settings.registry)
    return true
  } catch (error) {
    if (isConflict(error) || isOutOfSequence(error) || isMissing(error)) return false
    throw error
  }
}

/** Returns null if there is no service and none is needed. */
async function buildNextSpec(
  context: DockerContext,
  record: SwarmRecord,
  service: EngineService | null,
): Promise<EngineServiceSpec | null> {
  const { api, settings } = context
  const { active } = record
  const specSettings = getSpecSettings(context, record.code)
  if (!active) return service && buildServiceSpec(record, service.Spec.TaskTemplate, specSettings)
  const existingTemplate = findTaskTemplate(service, active.number)
  if (existingTemplate) return buildServiceSpec(record, existingTemplate, specSettings)
  const objects = await ensureTaskObjects(api, settings, record, active.apps)
  return buildServiceSpec(record, buildTaskTemplate(record, active, objects, specSettings, 'service'), specSettings)
}

/**
 * The fence and the revision are left out. An update that changes only labels would make the Swarm end the old tasks of an update in
 * progress before the new ones are healthy, and would replace `PreviousSpec`.
 */
function isSameSpec(spec: EngineServiceSpec, nextSpec: EngineServiceSpec): boolean {
  const format = (map: Record<string, string>) =>
    JSON.stringify(Object.entries({ ...map, [labels.fence]: '', [labels.revision]: '' }).toSorted(byKey))
  return (
    spec.TaskTemplate === nextSpec.TaskTemplate &&
    spec.Mode.Replicated?.Replicas === nextSpec.Mode.Replicated?.Replicas &&
    format(spec.Labels) === format(nextSpec.Labels)
  )
}

const byKey = ([first]: [string, string], [second]: [string, string]) => (first < second ? -1 : 1)

/**
 * Removes a Swarm service. It is marked and stopped first, and then removed by its id. So a delayed removal cannot hit a service that a
 * later operation has created.
 */
async function removeSwarmService(context: DockerContext, record: SwarmRecord, service: EngineService): Promise<void> {
  const { Spec: spec } = service
  const markedSpec = {
    ...spec,
    Labels: {
      ...spec.Labels,
      [labels.fence]: String(record.fence),
      [labels.revision]: String(record.revision),
      [labels.removal]: 'yes',
    },
    Mode: { Replicated: { Replicas: 0 } },
  }
  if (spec.Labels[labels.removal] === undefined) {
    await context.log.collect(record)
    if (!(await writeService(context, service, markedSpec))) return
  }
  await removeStoppedService(context, service.ID)
}

/** Waits until no task of the service runs. Tasks on a machine that the Swarm has lost are not waited for. */
export async function waitUntilStopped(context: DockerContext, serviceId: string): Promise<void> {
  await waitForTasks(context, serviceId, (tasks, nodesById) => !tasks.some((task) => mayRun(task, nodesById)))
}

/**
 * Removes a Swarm service that has no tasks any more. A manager of engine 20.10 ends with a failure if a service is removed at the moment at
 * which it deletes ended tasks of that service. So this waits until these are deleted, and until the list has stayed the same.
 */
export async function removeStoppedService(context: DockerContext, serviceId: string): Promise<void> {
  let previousIds: string | null = null
  await waitForTasks(context, serviceId, async (tasks, nodesById) => {
    if (tasks.length === 0) return true
    if (tasks.some((task) => mayRun(task, nodesById))) return false
    const ids = JSON.stringify(tasks.map(({ ID }) => ID).toSorted())
    const isStable = ids === previousIds && !tasks.some((task) => isBeingDeleted(task, nodesById))
    previousIds = ids
    if (!isStable) await wait(deletionIntervalMs)
    return isStable
  })
  await context.api.removeService(serviceId)
}

/** Tasks on a machine that the Swarm has lost are deleted only when it returns. */
const isBeingDeleted = ({ DesiredState, NodeID }: EngineTask, nodesById: ReadonlyMap<string, EngineNode>): boolean =>
  DesiredState === 'remove' && (!NodeID || isNodeReady(nodesById.get(NodeID)))

async function waitForTasks(
  { api, settings }: DockerContext,
  serviceId: string,
  isReached: (tasks: EngineTask[], nodesById: ReadonlyMap<string, EngineNode>) => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = settings.clock() + maxStopMs
  for (;;) {
    const tasks = await listServiceTasks(api, serviceId)
    const nodesById = await api.readNodes()
    if (await isReached(tasks, nodesById)) return
    if (settings.clock() > deadline)
      throw new HostingError('unreachable', 'the tasks of the service did not end in time')
    await wait(200)
  }
}

/** Applies a record without tasks, and returns when no task runs. */
export async function stopTasks(context: DockerContext, ref: InstanceRef, fence: number): Promise<void> {
  await applyRecord(context, ref, fence)
  const service = await findOwnService(context, getServiceName(context.settings.prefix, ref))
  if (service) await waitUntilStopped(context, service.ID)
}
