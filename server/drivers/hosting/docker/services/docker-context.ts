/** What all parts of the driver `docker` share. */
import type { InstanceAddress, InstanceConfig, InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { DockerHostingSettings } from '#server/drivers/hosting/docker/services/docker-settings.ts'
import type { EngineApi } from '#server/drivers/hosting/docker/engine/engine-api.ts'
import type { RecordStore } from '#server/drivers/hosting/docker/records/record-store.ts'
import { containerPort, type SpecSettings } from '#server/drivers/hosting/docker/services/build-service-spec.ts'
import { getTaskLimit } from '#server/drivers/hosting/docker/services/cluster-memory.ts'

export interface DockerContext {
  settings: DockerHostingSettings
  api: EngineApi
  records: RecordStore
  log: {
    /** Adds an entry to the log of a service. */
    write: (ref: InstanceRef, text: string) => void
    /** Stores the log of a Swarm service whose tasks are about to end, because the Swarm removes it with them. */
    collect: (ref: InstanceRef) => Promise<void>
    erase: (ref: InstanceRef) => Promise<void>
  }
}

export const getAddress = ({ settings }: DockerContext, code: string): InstanceAddress =>
  settings.gateway.getAddress(code)

export const getLimitMb = ({ settings }: DockerContext, config: InstanceConfig): number =>
  getTaskLimit(config, settings.memorySizes)

export const getSpecSettings = (context: DockerContext, code: string): SpecSettings => ({
  prefix: context.settings.prefix,
  healthSeconds: context.settings.healthSeconds,
  address: getAddress(context, code),
  gateway: context.settings.gateway.getServiceOptions(code, containerPort),
  getLimitMb: (config) => getLimitMb(context, config),
})
