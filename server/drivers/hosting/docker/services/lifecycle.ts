/** The calls of the driver that create, start, stop and remove services. Each changes the record first, and then applies it. */
import {
  HostingError,
  type HostingOperation,
  type InstanceAddress,
  type InstanceApp,
  type InstanceConfig,
  type InstanceFault,
  type InstanceRef,
} from '#server/drivers/hosting/hosting-driver.ts'
import { type DockerContext, getAddress, getLimitMb } from '#server/drivers/hosting/docker/docker-context.ts'
import type { EngineService } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { labels, requireInstanceRef } from '#server/drivers/hosting/docker/engine/object-names.ts'
import * as recordChanges from '#server/drivers/hosting/docker/records/service-record.ts'
import type { RecordedApp, ServiceRecord } from '#server/drivers/hosting/docker/records/service-record.ts'
import { applyRecord, stopTasks, storeSwarmRollback } from '#server/drivers/hosting/docker/services/apply-record.ts'
import {
  chooseNode,
  listNodeMemory,
  type NodeMemory,
  requireClusterMemory,
} from '#server/drivers/hosting/docker/services/cluster-memory.ts'
import {
  continueErasure,
  hasServiceData,
  removeMaintenanceOf,
} from '#server/drivers/hosting/docker/services/erase-data.ts'
import { withControl } from '#server/drivers/hosting/docker/services/maintenance.ts'
import { readStateInput } from '#server/drivers/hosting/docker/services/read-states.ts'
import { resolveImage } from '#server/drivers/hosting/docker/services/resolve-image.ts'
import { ensureTaskObjects } from '#server/drivers/hosting/docker/services/service-objects.ts'
import { toInstanceState } from '#server/drivers/hosting/docker/services/instance-state.ts'
import { getTaskCount } from '#server/drivers/hosting/machine-memory.ts'

/** Stores the log of a service whose tasks are about to end. */
type LogCollector = (ref: InstanceRef, service: EngineService) => Promise<void>

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

export function createLifecycle(context: DockerContext, collectLog: LogCollector) {
  const { api, records, settings } = context
  const findImage = () => resolveImage(api, settings.image, settings.registry)
  const onStop = (ref: InstanceRef) => (service: EngineService) => collectLog(ref, service)

  async function readNodeMemory({ serviceId }: InstanceRef): Promise<NodeMemory[]> {
    const [nodes, tasks] = await Promise.all([api.listNodes(), api.listTasks({ 'desired-state': ['running'] })])
    const isOwnTask = ({ Spec }: (typeof tasks)[number]) => {
      const taskLabels = Spec.ContainerSpec.Labels ?? {}
      return taskLabels[labels.portal] === settings.prefix && taskLabels[labels.service] === String(serviceId)
    }
    return listNodeMemory(nodes, tasks, isOwnTask)
  }

  async function requireMemory(record: ServiceRecord, config: InstanceConfig): Promise<void> {
    requireClusterMemory(await readNodeMemory(record), record.node, config, getLimitMb(context, config))
  }

  const getNeededMb = (config: InstanceConfig) => getTaskCount(config) * getLimitMb(context, config)

  /** Refuses delayed calls of an operation that was rolled back. */
  function requireNotGivenUp(record: ServiceRecord, fence: number): void {
    if (!recordChanges.isGivenUp(record, fence)) return
    throw new HostingError('overtaken', `the operation ${fence} was rolled back`)
  }

  async function prepareRecord(
    ref: InstanceRef,
    spec: { name: string; config: InstanceConfig },
    fence: number,
    record: ServiceRecord | null,
  ): Promise<ServiceRecord> {
    await findImage()
    const currentRecord = record?.erased === 'no' ? record : null
    const limitMb = getLimitMb(context, spec.config)
    let node = currentRecord?.node ?? null
    if (!currentRecord?.created) {
      const nodes = await readNodeMemory(ref)
      if (settings.storage.kind === 'volume') node ??= chooseNode(nodes)
      requireClusterMemory(nodes, node, spec.config, limitMb)
    }
    const isFirst = currentRecord === null
    return {
      ...emptyRecord,
      ...(currentRecord ?? { revision: record?.revision ?? 0 }),
      ...ref,
      name: spec.name,
      config: spec.config,
      fence,
      created: true,
      erased: 'no',
      hadData: isFirst ? false : await hadData(currentRecord),
      node,
    }
  }

  const hadData = async (record: ServiceRecord): Promise<boolean> =>
    record.created ? record.hadData : record.hasPassword && (await hasServiceData(context, record))

  return {
    async prepare(
      refInput: InstanceRef,
      spec: { name: string; config: InstanceConfig },
      { fence }: HostingOperation,
    ): Promise<{ address: InstanceAddress; hadData: boolean }> {
      const ref = requireInstanceRef(refInput)
      const erasedRecord = await records.find(ref)
      if (erasedRecord?.erased === 'in_progress' && fence >= erasedRecord.fence)
        await continueErasure(context, erasedRecord, onStop(ref))
      const record = await records.change(ref, fence, (currentRecord) => {
        if (currentRecord?.erased === 'in_progress')
          throw new HostingError('unreachable', `the data of the service ${ref.code} is still being erased`)
        return prepareRecord(ref, spec, fence, currentRecord)
      })
      await ensureTaskObjects(api, settings, ref, [])
      return { address: getAddress(context, ref.code), hadData: record?.hadData ?? false }
    },

    async install(ref: InstanceRef, apps: readonly InstanceApp[], { fence }: HostingOperation): Promise<void> {
      const recordedApps = apps.map(toRecordedApp)
      const store = () =>
        records.changeCreated(ref, fence, (record) => {
          requireNotGivenUp(record, fence)
          return { ...record, apps: recordedApps }
        })
      const record = await records.changeCreated(ref, fence, (currentRecord) => {
        requireNotGivenUp(currentRecord, fence)
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
        if (getNeededMb(config) > getNeededMb(record.config)) await requireMemory(record, config)
        return { ...record, config }
      })
    },

    async start(ref: InstanceRef, { fresh }: { fresh: boolean }, { fence }: HostingOperation): Promise<void> {
      const currentRecord = await records.changeCreated(ref, fence, (record) => {
        requireNotGivenUp(record, fence)
        return record
      })
      const input = await readStateInput(context, currentRecord)
      if (recordChanges.isRolledBackBySwarm(currentRecord, input.service))
        await storeSwarmRollback(context, currentRecord)
      const { deployment } = toInstanceState(input)
      const isHealthy = deployment !== null && deployment.healthyTasks >= deployment.wantedTasks
      const earlierUpdate = input.service?.UpdateStatus?.StartedAt ?? null
      const nextRecord = await records.changeCreated(ref, fence, async (record) => {
        requireNotGivenUp(record, fence)
        if (recordChanges.keepsTasks(record, { fresh, fence })) return record
        const image = await findImage()
        const startedRecord = recordChanges.startRecord(record, { fresh, fence, image, earlierUpdate, isHealthy })
        if (startedRecord === record) return record
        const runningSetting = recordChanges.getWantedSetting(record)
        const runningMb = runningSetting ? getNeededMb(runningSetting.config) : 0
        if (getNeededMb(record.config) > runningMb) await requireMemory(record, record.config)
        return startedRecord
      })
      const hasTasks = nextRecord.active !== null && getTaskCount(nextRecord.active.config) > 0
      if (hasTasks) await applyRecord(context, ref, fence)
      else await stopTasks(context, ref, fence, onStop(ref))
    },

    async switchOver(ref: InstanceRef, { fence }: HostingOperation): Promise<void> {
      const record = await records.changeCreated(ref, fence, (currentRecord) => currentRecord)
      const { service } = await readStateInput(context, record)
      if (recordChanges.isRolledBackBySwarm(record, service)) await storeSwarmRollback(context, record)
      await records.changeCreated(ref, fence, (currentRecord) => recordChanges.completeDeployment(currentRecord, fence))
    },

    async rollBack(ref: InstanceRef, fault: InstanceFault, { fence }: HostingOperation): Promise<void> {
      await records.changeCreated(ref, fence, (record) => recordChanges.rollBackRecord(record, fence, fault, true))
      await applyRecord(context, ref, fence)
    },

    async stop(ref: InstanceRef, { fence }: HostingOperation): Promise<void> {
      await records.changeCreated(ref, fence, recordChanges.stopRecord)
      await stopTasks(context, ref, fence, onStop(ref))
    },

    async remove(ref: InstanceRef, { fence }: HostingOperation): Promise<void> {
      const record = await records.change(ref, fence, (currentRecord) =>
        currentRecord?.erased === 'no'
          ? { ...recordChanges.stopRecord(currentRecord), created: false, apps: [], pausedUntil: null }
          : currentRecord,
      )
      if (!record || record.erased !== 'no') return
      await applyRecord(context, ref, fence, onStop(ref))
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
      if (record?.erased === 'in_progress') await continueErasure(context, record, onStop(ref))
    },
  }
}

const toRecordedApp = ({ code, name, version, module, flags, package: file }: InstanceApp): RecordedApp => ({
  code,
  name,
  version,
  module,
  flags,
  package: file?.sha256 ?? null,
})
