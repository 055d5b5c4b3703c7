/** Deletes the data and all objects of a service. Every step can be repeated, also after an interruption. */
import { setTimeout as wait } from 'node:timers/promises'
import { HostingError, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { DockerContext } from '#server/drivers/hosting/docker/services/docker-context.ts'
import { getFilters, getServiceName } from '#server/drivers/hosting/docker/engine/object-names.ts'
import type { SwarmRecord } from '#server/drivers/hosting/docker/records/service-record.ts'
import { applyRecord } from '#server/drivers/hosting/docker/services/apply-record.ts'
import { openMaintenance, removeMaintenance } from '#server/drivers/hosting/docker/services/maintenance.ts'
import { getDatabaseName, isInUse, removeTaskObjects } from '#server/drivers/hosting/docker/services/service-objects.ts'
import { dropServiceDatabase, hasServiceDatabase } from '#server/drivers/hosting/docker/storage/database.ts'

/** Time in ms that containers may take to disappear after their tasks ended. */
const maxReleaseMs = 30_000

/** Returns true if the data cannot be checked from this machine. */
export async function hasServiceData({ api, settings }: DockerContext, record: SwarmRecord): Promise<boolean> {
  const { prefix, storage } = settings
  if (storage.kind === 'database') return hasServiceDatabase(storage.url, getDatabaseName(prefix, record))
  // Without a node there was no volume yet: the data was in a database.
  if (record.node !== null && record.node !== (await api.readNodeId())) return true
  return (await api.findVolumeLabels(getServiceName(prefix, record))) !== null
}

/** Removes the maintenance services of a service, and returns when none of their tasks runs. */
export async function removeMaintenanceOf(context: DockerContext, { serviceId }: InstanceRef): Promise<void> {
  const { api, settings } = context
  const filters = getFilters(settings.prefix, { kind: 'maintenance', serviceId })
  for (const service of await api.listServices(filters)) await removeMaintenance(context, service)
}

/** Completes the erasure of a record with `erased` = `in_progress`. */
export async function continueErasure(context: DockerContext, record: SwarmRecord): Promise<void> {
  const { api, records, settings } = context
  const { prefix, storage } = settings
  await applyRecord(context, record, record.fence)
  if (storage.kind === 'database') {
    await removeMaintenanceOf(context, record)
    await dropServiceDatabase(storage.url, getDatabaseName(prefix, record))
  } else await eraseVolume(context, record)
  await retryWhileInUse(settings.clock, async () => {
    if (await removeTaskObjects(api, prefix, record)) return
    throw new HostingError('unreachable', 'objects of the service are still in use')
  })
  await context.log.erase(record)
  await records.change(record, record.fence, (currentRecord) =>
    currentRecord?.erased === 'in_progress'
      ? { ...currentRecord, erased: 'yes', hasPassword: false, hadData: false, name: '', node: null }
      : currentRecord,
  )
}

/** A volume of another machine can only be emptied, because the engine deletes volumes of its own machine. */
async function eraseVolume(context: DockerContext, record: SwarmRecord): Promise<void> {
  const { api, settings } = context
  const volume = getServiceName(settings.prefix, record)
  const isLocal = record.node === null || record.node === (await api.readNodeId())
  if (!isLocal) {
    const { control, release } = await openMaintenance(context, record)
    try {
      await control.eraseData()
    } finally {
      release()
    }
  }
  await removeMaintenanceOf(context, record)
  if (isLocal) await retryWhileInUse(settings.clock, () => api.removeVolume(volume))
}

async function retryWhileInUse(clock: () => number, work: () => Promise<void>): Promise<void> {
  const deadline = clock() + maxReleaseMs
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (!isInUse(error) || clock() > deadline) throw error
    }
    await wait(250)
  }
}
