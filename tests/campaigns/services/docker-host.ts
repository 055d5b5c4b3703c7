/** Inspects the services of a portal in a Docker Swarm, without its driver. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type Docker from 'dockerode'
import type { InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { InspectedHost } from '#tests/campaigns/services/inspected-host.ts'
import type { Portal } from '#tests/support/browser/browser.ts'
import { openDockerSite } from '#tests/support/docker/docker-site.ts'
import { listServiceDatabases, openSiteItems } from '#tests/support/docker/site-items.ts'
import { removeDockerObjects } from '#tests/support/docker/docker-cluster.ts'

interface TaskInfo {
  ServiceID: string
  DesiredState: string
  Status: { State: string }
}

/** A config or secret. */
interface StoredObject {
  ID: string
  CreatedAt: string
  Spec?: { Name?: string; Labels?: Record<string, string> }
}

/** Times in ms after which the upkeep must have removed a maintenance service and unused objects. It runs every 15 s. */
const removalMs = 120_000
const unusedRemovalMs = 10 * 60_000 + removalMs

/** `getPortal` is called after the portal was started. */
export async function openDockerHost(
  getPortal: () => Pick<Portal, 'dataDir'>,
  storage: 'volume' | 'database' = 'volume',
): Promise<InspectedHost> {
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
    return [
      ...(await site.listObjects()),
      ...databases.map(({ serviceId }) => `database ${prefix}-${serviceId}`),
      ...listLogs().map((folder) => `log ${prefix}-${folder}`),
    ]
  }

  /** Lists the folders of stored logs with files. Their names begin with the id of the service. */
  function listLogs(): string[] {
    const root = join(getPortal().dataDir, 'files', 'service-logs')
    return existsSync(root) ? readdirSync(root).filter((folder) => readdirSync(join(root, folder)).length > 0) : []
  }

  /** Lists objects that the upkeep should have removed: maintenance services, and what no Swarm service uses. */
  async function listOverdue(services: readonly Docker.Service[]): Promise<string[]> {
    const filters = JSON.stringify({ label: [`portal.name=${prefix}`] })
    const [configs, secrets] = await Promise.all([docker.listConfigs({ filters }), docker.listSecrets({ filters })])
    const usedText = JSON.stringify(services)
    const overdue = services.filter(
      ({ Spec }) =>
        Spec?.Labels?.['portal.kind'] === 'maintenance' &&
        Number(Spec.Labels['portal.expiry'] ?? 0) < Date.now() - removalMs,
    )
    const unused = ([...configs, ...secrets] as StoredObject[]).filter(
      ({ ID, CreatedAt, Spec }) =>
        ['apps', 'token', 'database'].includes(Spec?.Labels?.['portal.kind'] ?? '') &&
        !usedText.includes(ID) &&
        Date.parse(CreatedAt) < Date.now() - unusedRemovalMs,
    )
    return [
      ...overdue.map(({ Spec }) => `was not removed in time: service ${Spec?.Name}`),
      ...unused.map(({ Spec }) => `is not used and was not removed in time: ${Spec?.Name}`),
    ]
  }

  return {
    settings: site.settings,
    maxDelayMs: 8000,
    countTasks: async (ref) => (await listContainers(ref)).length,
    async readLimitMb(ref) {
      const [container] = await listContainers(ref)
      if (!container) return null
      const details = cluster.nodes.map((node) => node.docker.getContainer(container.Id).inspect())
      const bytes = (await Promise.any(details).catch(() => null))?.HostConfig.Memory
      return bytes === undefined ? null : bytes / 1024 ** 2
    },
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
      return [
        ...unknown.map((object) => `belongs to no service: ${object}`),
        ...doubles,
        ...(await listOverdue(services)),
      ]
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
