/** The calls of the driver that create, configure, remove and erase services, and install their apps. */
import {
  HostingError,
  type HostingOperation,
  type InstanceAddress,
  type InstanceApp,
  type InstanceConfig,
  type InstanceRef,
} from '#server/drivers/hosting/hosting-driver.ts'
import { type DockerContext, getAddress, getLimitMb } from '#server/drivers/hosting/docker/services/docker-context.ts'
import { getServiceName, labels, requireInstanceRef } from '#server/drivers/hosting/docker/engine/object-names.ts'
import * as recordChanges from '#server/drivers/hosting/docker/records/service-record.ts'
import type { RecordedApp, SwarmRecord } from '#server/drivers/hosting/docker/records/service-record.ts'
import { applyRecord } from '#server/drivers/hosting/docker/services/apply-record.ts'
import { chooseNode, requireClusterMemory } from '#server/drivers/hosting/docker/services/cluster-memory.ts'
import {
  continueErasure,
  hasServiceData,
  removeMaintenanceOf,
} from '#server/drivers/hosting/docker/services/erase-data.ts'
import { withControl } from '#server/drivers/hosting/docker/services/maintenance.ts'
import {
  getNeededMb,
  getUsedMb,
  readNodeMemory,
  requireMemory,
} from '#server/drivers/hosting/docker/services/require-memory.ts'
import { resolveImage } from '#server/drivers/hosting/docker/services/resolve-image.ts'
import { rebuildRecord } from '#server/drivers/hosting/docker/services/rebuild-record.ts'
import { ensureTaskObjects, getDatabaseName } from '#server/drivers/hosting/docker/services/service-objects.ts'
import { hasServiceDatabase } from '#server/drivers/hosting/docker/storage/database.ts'

const emptyRecord = {
  format: 1,
  revision: 0,
  hadData: false,
  hasPassword: false,
  wanted: 'stopped',
  apps: [],
  active: null,
  lastNumber: 0,
  deployment: null,
  node: null,
  pausedUntil: null,
} as const

export function createLifecycle(context: DockerContext) {
  const { api, records, settings } = context

  return {
    async prepare(
      refInput: InstanceRef,
      spec: { name: string; config: InstanceConfig },
      { fence }: HostingOperation,
    ): Promise<{ address: InstanceAddress; hadData: boolean }> {
      const ref = requireInstanceRef(refInput)
      await rebuildRecord(context, ref)
      const existingRecord = await records.find(ref)
      if (existingRecord?.erased === 'in_progress' && fence >= existingRecord.fence)
        await continueErasure(context, existingRecord)
      const record = await records.change(ref, fence, (currentRecord) => {
        if (currentRecord?.erased === 'in_progress')
          throw new HostingError('unreachable', `the data of the service ${ref.code} is still being erased`)
        return prepareRecord(context, ref, spec, fence, currentRecord)
      })
      await ensureTaskObjects(api, settings, ref, null)
      return { address: getAddress(context, ref.code), hadData: record?.hadData ?? false }
    },

    async install(ref: InstanceRef, apps: readonly InstanceApp[], { fence }: HostingOperation): Promise<void> {
      const recordedApps = apps.map(toRecordedApp)
      const store = () =>
        records.changeCreated(ref, fence, (record) => {
          recordChanges.requireNotGivenUp(record, fence)
          return { ...record, apps: recordedApps }
        })
      const record = await records.changeCreated(ref, fence, (currentRecord) => {
        recordChanges.requireNotGivenUp(currentRecord, fence)
        return currentRecord
      })
      if (!apps.some((app) => app.package)) {
        await store()
        return
      }
      await withControl(context, record, async (control) => {
        await control.loadPackages(apps)
        const { active, deployment } = await store()
        const usedApps = [...recordedApps, ...(active?.apps ?? []), ...(deployment?.previous?.apps ?? [])]
        await control.keepPackages([...new Set(usedApps.flatMap((app) => app.package ?? []))])
      })
    },

    async configure(ref: InstanceRef, config: InstanceConfig, { fence }: HostingOperation): Promise<void> {
      await records.changeCreated(ref, fence, async (record) => {
        if (getNeededMb(context, config) > getUsedMb(context, record.config))
          await requireMemory(context, record, config)
        return { ...record, config }
      })
    },

    async remove(ref: InstanceRef, { fence }: HostingOperation): Promise<void> {
      let wasCreated = false
      const record = await records.change(ref, fence, (currentRecord) => {
        wasCreated = currentRecord?.created ?? false
        return currentRecord?.erased === 'no'
          ? { ...recordChanges.stopRecord(currentRecord), created: false, apps: [], pausedUntil: null }
          : currentRecord
      })
      if (!record || record.erased !== 'no') return
      if (wasCreated) context.log.write(ref, 'service removed, data kept')
      await applyRecord(context, ref, fence)
      await removeMaintenanceOf(context, ref)
    },

    async erase(ref: InstanceRef, { fence }: HostingOperation): Promise<void> {
      const record = await records.change(ref, fence, (currentRecord) =>
        currentRecord && currentRecord.erased !== 'yes'
          ? {
              ...recordChanges.stopRecord(currentRecord),
              created: false,
              erased: 'in_progress',
              apps: [],
              pausedUntil: null,
            }
          : currentRecord,
      )
      if (record?.erased === 'in_progress') await continueErasure(context, record)
    },
  }
}

async function prepareRecord(
  context: DockerContext,
  ref: InstanceRef,
  spec: { name: string; config: InstanceConfig },
  fence: number,
  record: SwarmRecord | null,
): Promise<SwarmRecord> {
  const { api, settings } = context
  await resolveImage(api, settings.image, settings.registry)
  const currentRecord = record?.erased === 'no' ? record : null
  const limitMb = getLimitMb(context, spec.config)
  const hasOldData = record === null && (await hasUnrecordedData(context, ref))
  const isOnVolume = settings.storage.kind === 'volume'
  let node = currentRecord?.node ?? (hasOldData && isOnVolume ? await api.readNodeId() : null)
  if (!currentRecord?.created) {
    const nodes = await readNodeMemory(context, ref)
    if (isOnVolume) node ??= chooseNode(nodes)
    requireClusterMemory(nodes, node, spec.config, limitMb)
  }
  return {
    ...emptyRecord,
    ...(currentRecord ?? { revision: record?.revision ?? 0 }),
    ...ref,
    name: spec.name,
    config: spec.config,
    fence,
    created: true,
    erased: 'no',
    ...(await findEarlierData(context, currentRecord, hasOldData)),
    node,
  }
}

/**
 * Whether there is data of a service without a record, which somebody has removed from the Swarm. It is used, as after a removal. Throws
 * HostingError `unreachable` for data of another service, which nobody else may get.
 */
async function hasUnrecordedData({ api, settings }: DockerContext, ref: InstanceRef): Promise<boolean> {
  const { prefix, storage } = settings
  if (storage.kind === 'database') return hasServiceDatabase(storage.url, getDatabaseName(prefix, ref))
  const name = getServiceName(prefix, ref)
  const volumeLabels = await api.findVolumeLabels(name)
  if (volumeLabels === null) return false
  const code = volumeLabels[labels.code]
  if (code === ref.code) return true
  throw new HostingError(
    'unreachable',
    `the volume ${name} has the data of ${code === undefined ? 'somebody else' : `the service ${code}`}, not of ${ref.code}: remove it with "docker volume rm ${name}"`,
  )
}

/** A created service keeps both. Otherwise they are true if somebody may have worked in data that still exists. */
async function findEarlierData(
  context: DockerContext,
  record: SwarmRecord | null,
  hasOldData: boolean,
): Promise<Pick<SwarmRecord, 'hadData' | 'hasPassword'>> {
  if (record?.created) return { hadData: record.hadData, hasPassword: record.hasPassword }
  const hadData = record === null ? hasOldData : record.hasPassword && (await hasServiceData(context, record))
  return { hadData, hasPassword: hadData }
}

const toRecordedApp = ({ code, name, version, module, flags, package: file }: InstanceApp): RecordedApp => ({
  code,
  name,
  version,
  module,
  flags,
  package: file?.sha256 ?? null,
})
