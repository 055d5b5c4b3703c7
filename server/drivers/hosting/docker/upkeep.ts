/** Regular work that one node of the portal does for all: removes and completes what interrupted calls have left. */
import { setTimeout as wait } from 'node:timers/promises'
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import type { DockerContext } from '#server/drivers/hosting/docker/services/docker-context.ts'
import type { EngineService } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { getFilters, labels } from '#server/drivers/hosting/docker/engine/object-names.ts'
import { getWantedSetting, isRolledBackBySwarm } from '#server/drivers/hosting/docker/records/service-record.ts'
import { applyRecord, storeSwarmRollback } from '#server/drivers/hosting/docker/services/apply-record.ts'
import { getReplicas } from '#server/drivers/hosting/docker/services/build-service-spec.ts'
import { continueErasure } from '#server/drivers/hosting/docker/services/erase-data.ts'
import type { StateInput } from '#server/drivers/hosting/docker/services/instance-state.ts'
import { removeMaintenance } from '#server/drivers/hosting/docker/services/maintenance.ts'
import { readSnapshot, type SwarmSnapshot } from '#server/drivers/hosting/docker/services/read-states.ts'
import { listUnrecorded, rebuildRecord } from '#server/drivers/hosting/docker/services/rebuild-record.ts'
import { isInUse } from '#server/drivers/hosting/docker/services/service-objects.ts'

/** An object that no service uses is removed when it is this old, in ms. An operation may just have created it. */
const minUnusedAgeMs = 10 * 60_000

type LogCollector = (snapshot: SwarmSnapshot) => Promise<void>

/** Time in ms for one service. After that its work continues while that of the others begins. */
const defaultStepMs = 5000

/** Returns the function that does the work once. */
export function createUpkeep(
  context: DockerContext,
  collectLogs: LogCollector,
  { stepMs = defaultStepMs } = {},
): () => Promise<void> {
  /** Work that has not ended yet, also of earlier runs. */
  const running = new Set<string>()

  async function runFor(subject: string, work: () => Promise<void>): Promise<void> {
    running.add(subject)
    try {
      await work()
    } catch (error) {
      // A later operation has begun since the snapshot was read, and does the work itself.
      if (error instanceof HostingError && error.fault === 'overtaken') return
      context.settings.log.warn(
        { event: 'service_upkeep_failed', err: error, subject },
        'could not complete or remove what an interrupted call has left',
      )
    } finally {
      running.delete(subject)
    }
  }

  /** One service with a problem must neither stop the work for the others nor delay it: an image may not respond for minutes. */
  async function tryFor(subject: string, work: () => Promise<void>): Promise<void> {
    if (running.has(subject)) return
    const controller = new AbortController()
    const limit = wait(stepMs, undefined, { signal: controller.signal }).catch(() => undefined)
    await Promise.race([runFor(subject, work), limit])
    controller.abort()
  }

  return async () => {
    const snapshot = await readSnapshot(context)
    await runFor('logs', () => collectLogs(snapshot))
    await completeAll(context, snapshot, tryFor)
  }
}

async function completeAll(
  context: DockerContext,
  snapshot: SwarmSnapshot,
  tryFor: (subject: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  for (const ref of listUnrecorded(snapshot, context.settings.prefix))
    await tryFor(ref.code, () => rebuildRecord(context, ref))
  for (const input of snapshot.inputs) await tryFor(input.record.code, () => completeRecord(context, input))
  for (const service of snapshot.services)
    if (isExpired(service, context.settings.clock()))
      await tryFor(service.Spec.Name, () => removeMaintenance(context, service))
  await tryFor('unused objects', () => removeUnusedObjects(context, snapshot))
}

const isExpired = ({ Spec }: EngineService, now: number): boolean =>
  Spec.Labels[labels.kind] === 'maintenance' &&
  (Spec.Labels[labels.removal] !== undefined || Number(Spec.Labels[labels.expiry] ?? 0) < now)

async function completeRecord(context: DockerContext, { record, service }: StateInput): Promise<void> {
  const { records, settings } = context
  if (record.erased === 'in_progress') {
    await continueErasure(context, record)
    return
  }
  if (isRolledBackBySwarm(record, service)) await storeSwarmRollback(context, record)
  if (record.pausedUntil !== null && record.pausedUntil < settings.clock())
    // A repeated replacement may have begun a new pause since the snapshot was read.
    await records.change(record, record.fence, (currentRecord) =>
      currentRecord?.pausedUntil === record.pausedUntil ? { ...currentRecord, pausedUntil: null } : null,
    )
  else if (isApplied({ record, service })) return
  await applyRecord(context, record, record.fence)
}

/** Whether the Swarm service is as the record wants it. */
function isApplied({ record, service }: Pick<StateInput, 'record' | 'service'>): boolean {
  if (!service) return getReplicas(record) === 0
  if (!record.created || service.Spec.Labels[labels.removal] !== undefined) return false
  const setting = getWantedSetting(record)
  const isSameSetting = setting === null || service.Spec.TaskTemplate.ForceUpdate === setting.number
  return isSameSetting && service.Spec.Mode.Replicated?.Replicas === getReplicas(record)
}

/** Removes lists of apps, secrets and networks that no service uses any more. The engine refuses to remove what is in use. */
async function removeUnusedObjects(
  { api, settings }: DockerContext,
  { services, records }: SwarmSnapshot,
): Promise<void> {
  const { prefix, clock } = settings
  const usedText = JSON.stringify(services.map(({ Spec, PreviousSpec }) => [Spec, PreviousSpec]))
  const createdIds = new Set(records.filter(({ created }) => created).map(({ serviceId }) => String(serviceId)))
  const isUnused = (id: string, created: string) =>
    !usedText.includes(id) && Date.parse(created) < clock() - minUnusedAgeMs
  for (const config of await api.listConfigs('configs', getFilters(prefix, { kind: 'apps' })))
    if (isUnused(config.ID, config.CreatedAt)) await ignoreInUse(() => api.removeConfig('configs', config.ID))
  for (const secret of await api.listConfigs('secrets', getFilters(prefix)))
    if (isUnused(secret.ID, secret.CreatedAt)) await ignoreInUse(() => api.removeConfig('secrets', secret.ID))
  for (const network of await api.listNetworks(getFilters(prefix))) {
    const isOfRecord = createdIds.has(network.Labels?.[labels.service] ?? '')
    if (!isOfRecord && isUnused(network.Id, network.Created)) await ignoreInUse(() => api.removeNetwork(network.Id))
  }
}

async function ignoreInUse(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isInUse(error)) throw error
  }
}
