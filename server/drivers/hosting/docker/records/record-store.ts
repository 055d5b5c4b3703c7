/**
 * Stores the records of services as labels of Swarm configs. Each change is a compare-and-set with the version of the config, so that two
 * nodes of the portal cannot overwrite each other's changes.
 */
import { HostingError, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { isConflict, isOutOfSequence } from '#server/drivers/hosting/docker/engine/engine-client.ts'
import type { EngineApi } from '#server/drivers/hosting/docker/engine/engine-api.ts'
import type { EngineConfig } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import {
  getFilters,
  getObjectLabels,
  getServiceName,
  labels,
} from '#server/drivers/hosting/docker/engine/object-names.ts'
import { parseRecord } from '#server/drivers/hosting/docker/records/parse-record.ts'
import { raiseFence, type SwarmRecord } from '#server/drivers/hosting/docker/records/service-record.ts'

const maxAttempts = 50

export interface RecordStore {
  /** Also returns the record of an erased service. Null if there never was one. */
  find(ref: InstanceRef): Promise<SwarmRecord | null>
  list(): Promise<SwarmRecord[]>
  /**
   * Changes a record. `change` gets the current record with the fence of the operation, or null; it may run several times, and returns
   * null to change nothing. Throws HostingError `overtaken` if a later operation has changed the record.
   */
  change(
    ref: InstanceRef,
    fence: number,
    change: (record: SwarmRecord | null) => SwarmRecord | null | Promise<SwarmRecord | null>,
  ): Promise<SwarmRecord | null>
  /** Like `change`, for a service that exists. Throws HostingError `no_instance` otherwise. */
  changeCreated(
    ref: InstanceRef,
    fence: number,
    change: (record: SwarmRecord) => SwarmRecord | Promise<SwarmRecord>,
  ): Promise<SwarmRecord>
}

export function createRecordStore(api: EngineApi, prefix: string): RecordStore {
  const findConfig = (ref: InstanceRef) => api.findConfig('configs', getServiceName(prefix, ref))
  const toLabels = (record: SwarmRecord) => ({
    ...getObjectLabels(prefix, 'record', record),
    [labels.fence]: String(record.fence),
    [labels.record]: JSON.stringify(record),
  })

  async function write(config: EngineConfig | null, record: SwarmRecord): Promise<boolean> {
    try {
      const recordLabels = toLabels(record)
      if (config) await api.updateConfigLabels(config, recordLabels)
      else
        await api.createConfig('configs', {
          Name: getServiceName(prefix, record),
          Labels: recordLabels,
          Data: Buffer.from('{}').toString('base64'),
        })
      return true
    } catch (error) {
      if (isConflict(error) || isOutOfSequence(error)) return false
      throw error
    }
  }

  const store: RecordStore = {
    async find(ref) {
      const config = await findConfig(ref)
      const record = config && requireRecord(config, prefix)
      return record?.code === ref.code || record?.erased === 'yes' ? record : null
    },

    async list() {
      const configs = await api.listConfigs('configs', getFilters(prefix, { kind: 'record' }))
      return configs.flatMap((config) => parseRecord(config, prefix) ?? [])
    },

    async change(ref, fence, change) {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const config = await findConfig(ref)
        const record = config && requireRecord(config, prefix)
        if (record && fence < record.fence)
          throw new HostingError('overtaken', `a later operation than ${fence} was already executed`)
        if (record && record.erased !== 'yes' && record.code !== ref.code)
          throw new HostingError('no_instance', `the service ${ref.code} does not exist`)
        const nextRecord = await change(record && raiseFence(record, fence))
        if (!nextRecord) return record
        if (record && JSON.stringify(record) === JSON.stringify(nextRecord)) return nextRecord
        const writtenRecord = { ...nextRecord, revision: nextRecord.revision + 1 }
        if (await write(config, writtenRecord)) return writtenRecord
      }
      throw new HostingError('unreachable', `the record of the service ${ref.code} changes all the time`)
    },

    async changeCreated(ref, fence, change) {
      const record = await store.change(ref, fence, (currentRecord) => {
        if (!currentRecord?.created) throw new HostingError('no_instance', `the service ${ref.code} does not exist`)
        return change(currentRecord)
      })
      if (!record) throw new HostingError('no_instance', `the service ${ref.code} does not exist`)
      return record
    },
  }
  return store
}

/** A record that cannot be read must not look like a missing one, because then its service would be removed. */
function requireRecord(config: EngineConfig, prefix: string): SwarmRecord {
  const record = parseRecord(config, prefix)
  if (record) return record
  const { Name: name } = config.Spec
  throw new HostingError(
    'unreachable',
    `the Swarm config ${name} is no record that this portal can read: restore its label ${labels.record}, or execute "docker config rm ${name}", so that the record is created again from the Swarm service`,
  )
}
