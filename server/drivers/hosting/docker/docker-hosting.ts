/**
 * Runs services as Swarm services of the Docker Engine, on one machine or many (docs/decisions/0100). All nodes of the portal can use the
 * driver at the same time: what is wanted is stored in the Swarm, and each change is a compare-and-set.
 */
import Docker from 'dockerode'
import { HostingError, type HostingDriver } from '#server/drivers/hosting/hosting-driver.ts'
import type { DockerContext } from '#server/drivers/hosting/docker/services/docker-context.ts'
import type { DockerHostingSettings } from '#server/drivers/hosting/docker/services/docker-settings.ts'
import { createEngineApi } from '#server/drivers/hosting/docker/engine/engine-api.ts'
import { createEngineClient } from '#server/drivers/hosting/docker/engine/engine-client.ts'
import { getFilters } from '#server/drivers/hosting/docker/engine/object-names.ts'
import { createServiceLogs } from '#server/drivers/hosting/docker/logs/service-logs.ts'
import { createRecordStore } from '#server/drivers/hosting/docker/records/record-store.ts'
import { createDeployments } from '#server/drivers/hosting/docker/services/deployments.ts'
import { createInstanceData } from '#server/drivers/hosting/docker/services/instance-data.ts'
import { createLifecycle } from '#server/drivers/hosting/docker/services/lifecycle.ts'
import {
  readRef,
  readSnapshot,
  readStateInput,
  type SwarmSnapshot,
} from '#server/drivers/hosting/docker/services/read-states.ts'
import { createUpkeep } from '#server/drivers/hosting/docker/upkeep.ts'
import { watchStates } from '#server/drivers/hosting/docker/watch-states.ts'

export type { DockerHostingSettings } from '#server/drivers/hosting/docker/services/docker-settings.ts'

export function createDockerHosting(settings: DockerHostingSettings): HostingDriver {
  const docker = new Docker(settings.connection)
  const api = createEngineApi(createEngineClient(docker, settings.clock))
  const logs = createServiceLogs({ docker, files: settings.files, clock: settings.clock, log: settings.log })
  const records = createRecordStore(api, settings.prefix)
  const context: DockerContext = {
    settings,
    api,
    records,
    log: {
      write: (ref, text) => logs.write(ref, text),
      async collect(ref) {
        // All of them, because the positions of the tasks of other Swarm services would be forgotten.
        const services = await api.listServices(getFilters(settings.prefix, { serviceId: ref.serviceId }))
        await logs.collectLast({ ref, swarmServiceIds: services.map(({ ID }) => ID) })
      },
      erase: (ref) => logs.erase(ref),
    },
  }

  const collectLogs = (snapshot: SwarmSnapshot) => {
    const servicesById = Map.groupBy(snapshot.services, (service) => readRef(service).serviceId)
    return logs.collect(
      snapshot.records
        .filter(({ erased }) => erased === 'no')
        .map(({ serviceId, code }) => ({
          ref: { serviceId, code },
          swarmServiceIds: (servicesById.get(serviceId) ?? []).map(({ ID }) => ID),
        })),
      snapshot.records.filter(({ erased }) => erased === 'yes'),
    )
  }

  const lifecycle = createLifecycle(context)
  const deployments = createDeployments(context)
  const data = createInstanceData(context)
  const watch = watchStates(context)

  /** The states are read again after each call, because the engine reports no event for each change. */
  const withRefresh =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        return await call(...args)
      } finally {
        watch.refresh()
      }
    }

  return {
    name: 'docker',
    prepare: withRefresh(lifecycle.prepare),
    install: withRefresh(lifecycle.install),
    configure: withRefresh(lifecycle.configure),
    start: withRefresh(deployments.start),
    switchOver: withRefresh(deployments.switchOver),
    rollBack: withRefresh(deployments.rollBack),
    stop: withRefresh(deployments.stop),
    remove: withRefresh(lifecycle.remove),
    erase: withRefresh(lifecycle.erase),
    setPassword: withRefresh(data.setPassword),
    readData: data.readData,
    replaceData: withRefresh(data.replaceData),
    async look(ref) {
      const record = await records.find(ref)
      return record?.erased === 'no' || record?.erased === 'in_progress'
        ? watch.useState(await readStateInput(context, record))
        : null
    },
    lookAll: async () => watch.useSnapshot(await readSnapshot(context)),

    async *readLog({ serviceId, code }, range) {
      const ref = { serviceId, code }
      const record = await records.find(ref)
      if (record?.erased !== 'no') throw new HostingError('no_instance', `the service ${code} does not exist`)
      const services = await api.listServices(getFilters(settings.prefix, { serviceId }))
      yield* logs.read({ ref, swarmServiceIds: services.map(({ ID }) => ID) }, range)
    },

    upkeep: createUpkeep(context, collectLogs),
    watch: (onChange) => watch.subscribe(onChange),

    async close() {
      watch.close()
      await Promise.all([logs.close(), settings.gateway.close()])
    },
  }
}
