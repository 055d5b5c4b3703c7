/** The calls of the driver that start and stop tasks, and complete or revert deployments. */
import {
  HostingError,
  type HostingOperation,
  type InstanceFault,
  type InstanceRef,
} from '#server/drivers/hosting/hosting-driver.ts'
import type { DockerContext } from '#server/drivers/hosting/docker/services/docker-context.ts'
import * as recordChanges from '#server/drivers/hosting/docker/records/service-record.ts'
import { applyRecord, stopTasks, storeSwarmRollback } from '#server/drivers/hosting/docker/services/apply-record.ts'
import type { SwarmRecord } from '#server/drivers/hosting/docker/records/service-record.ts'
import { hasServiceData } from '#server/drivers/hosting/docker/services/erase-data.ts'
import { toInstanceState } from '#server/drivers/hosting/docker/services/instance-state.ts'
import { readStateInput } from '#server/drivers/hosting/docker/services/read-states.ts'
import { getNeededMb, getUsedMb, requireMemory } from '#server/drivers/hosting/docker/services/require-memory.ts'
import { resolveImage } from '#server/drivers/hosting/docker/services/resolve-image.ts'
import { getTaskCount } from '#server/drivers/hosting/machine-memory.ts'

/** Throws HostingError `bad_data` if the data is missing: new tasks would begin with empty data, and nobody could sign in. */
async function requireData(context: DockerContext, record: SwarmRecord): Promise<void> {
  if (!record.hasPassword || (await hasServiceData(context, record))) return
  context.settings.log.warn(
    { event: 'service_data_missing', service: record.code, serviceId: record.serviceId },
    'the volume or database of a hosted service is missing, so the service was not started',
  )
  throw new HostingError('bad_data', `the data of the service ${record.code} is missing`)
}

export function createDeployments(context: DockerContext) {
  const { api, records, settings, log } = context
  const findImage = () => resolveImage(api, settings.image, settings.registry)

  return {
    async start(ref: InstanceRef, { fresh }: { fresh: boolean }, { fence }: HostingOperation): Promise<void> {
      const currentRecord = await records.changeCreated(ref, fence, (record) => {
        recordChanges.requireNotGivenUp(record, fence)
        return record
      })
      const input = await readStateInput(context, currentRecord)
      if (recordChanges.isRolledBackBySwarm(currentRecord, input.service))
        await storeSwarmRollback(context, currentRecord)
      const { deployment } = toInstanceState(input)
      const isHealthy = deployment !== null && deployment.healthyTasks >= deployment.wantedTasks
      const earlierUpdate = input.service?.UpdateStatus?.StartedAt ?? null
      const nextRecord = await records.changeCreated(ref, fence, async (record) => {
        recordChanges.requireNotGivenUp(record, fence)
        if (recordChanges.keepsTasks(record, { fresh, fence })) return record
        const image = await findImage()
        const startedRecord = recordChanges.startRecord(record, { fresh, fence, image, earlierUpdate, isHealthy })
        if (startedRecord === record) return record
        await requireData(context, record)
        const runningSetting = recordChanges.getWantedSetting(record)
        const runningMb = runningSetting ? getUsedMb(context, runningSetting.config) : 0
        if (getNeededMb(context, record.config) > runningMb) await requireMemory(context, record, record.config)
        return startedRecord
      })
      if (nextRecord.active?.number !== currentRecord.active?.number)
        log.write(ref, currentRecord.active ? 'restart requested' : 'start requested')
      const hasTasks = nextRecord.active !== null && getTaskCount(nextRecord.active.config) > 0
      if (hasTasks) await applyRecord(context, ref, fence)
      else await stopTasks(context, ref, fence)
    },

    async switchOver(ref: InstanceRef, { fence }: HostingOperation): Promise<void> {
      const record = await records.changeCreated(ref, fence, (currentRecord) => currentRecord)
      const { service } = await readStateInput(context, record)
      if (recordChanges.isRolledBackBySwarm(record, service)) await storeSwarmRollback(context, record)
      await records.changeCreated(ref, fence, (currentRecord) => recordChanges.completeDeployment(currentRecord, fence))
    },

    async rollBack(ref: InstanceRef, fault: InstanceFault, { fence }: HostingOperation): Promise<void> {
      let isReverted = false
      await records.changeCreated(ref, fence, (record) => {
        const nextRecord = recordChanges.rollBackRecord(record, fence, fault, true)
        isReverted = nextRecord.active !== record.active
        return nextRecord
      })
      if (isReverted) log.write(ref, `the new settings were given up (${fault}), the previous ones are used again`)
      await applyRecord(context, ref, fence)
    },

    async stop(ref: InstanceRef, { fence }: HostingOperation): Promise<void> {
      let wasRunning = false
      await records.changeCreated(ref, fence, (record) => {
        wasRunning = record.wanted === 'running'
        return recordChanges.stopRecord(record)
      })
      if (wasRunning) log.write(ref, 'stop requested')
      await stopTasks(context, ref, fence)
    },
  }
}
