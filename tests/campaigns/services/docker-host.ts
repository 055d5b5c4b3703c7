/** Inspects the services of a portal in a Docker Swarm, without its driver. */
import type Docker from 'dockerode'
import type { InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { InspectedHost } from '#tests/campaigns/services/inspected-host.ts'
import { openDockerSite } from '#tests/support/docker/docker-site.ts'
import { listServiceDatabases, openSiteItems } from '#tests/support/docker/site-items.ts'
import { removeDockerObjects } from '#tests/support/docker/docker-cluster.ts'

interface TaskInfo {
  ServiceID: string
  DesiredState: string
  Status: { State: string }
}

export async function openDockerHost(storage: 'volume' | 'database' = 'volume'): Promise<InspectedHost> {
  const site = await openDockerSite({ storage })
  const { cluster, prefix } = site
  const { docker } = cluster
  const items = openSiteItems(site)
  const getName = ({ serviceId }: InstanceRef) => `${prefix}-${serviceId}`

  async function listContainers({ serviceId }: InstanceRef): Promise<Docker.ContainerInfo[]> {
    const label = [`portal.name=${prefix}`, `portal.service=${serviceId}`, 'portal.kind=service']
    const lists = cluster.nodes.map((node) => node.docker.listContainers({ filters: JSON.stringify({ label }) }))
    return (await Promise.all(lists)).flat()
  }

  /** Objects of a service have its number in their names. The record stays after everything else, and is no remain. */
  const belongsTo = (object: string, ref: InstanceRef) => {
    const name = object.split(' ')[1] ?? ''
    return name === getName(ref) || name.startsWith(`${getName(ref)}-`)
  }
  const isRecord = (object: string, refs: readonly InstanceRef[]) =>
    refs.some((ref) => object === `config ${getName(ref)}`)

  async function listAll(): Promise<string[]> {
    const databases = await listServiceDatabases(site)
    return [...(await site.listObjects()), ...databases.map(({ serviceId }) => `database ${prefix}-${serviceId}`)]
  }

  return {
    settings: site.settings,
    maxDelayMs: 8000,
    countTasks: async (ref) => (await listContainers(ref)).length,
    async listUnknown(refs) {
      const objects = await listAll()
      const unknown = objects.filter(
        (object) => object !== `config ${prefix}-owner` && !refs.some((ref) => belongsTo(object, ref)),
      )
      const tasks = (await docker.listTasks({
        filters: JSON.stringify({ 'desired-state': ['running'] }),
      })) as TaskInfo[]
      const services = await docker.listServices({ filters: JSON.stringify({ label: [`portal.name=${prefix}`] }) })
      const doubles = services.flatMap(({ ID, Spec }) => {
        const replicas = Spec?.Mode?.Replicated?.Replicas ?? 0
        const running = tasks.filter(({ ServiceID, Status }) => ServiceID === ID && Status.State === 'running').length
        return running > replicas ? [`${running} tasks of ${Spec?.Name} instead of ${replicas}`] : []
      })
      return [...unknown.map((object) => `belongs to no service: ${object}`), ...doubles]
    },
    async listRemains(ref) {
      const objects = await listAll()
      return objects.filter((object) => belongsTo(object, ref) && !isRecord(object, [ref]))
    },
    putItems: items.put,
    readItems: items.read,
    async close() {
      try {
        await removeDockerObjects(cluster, prefix)
        return []
      } catch (error) {
        return [String(error)]
      } finally {
        await site.close()
      }
    },
  }
}
