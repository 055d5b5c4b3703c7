/** The calls of the Docker Engine API that the driver uses. Errors are those of engine-client.ts. */
import type { IncomingMessage } from 'node:http'
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import {
  type EngineClient,
  isMissing,
  type RegistryLogin,
} from '#server/drivers/hosting/docker/engine/engine-client.ts'
import type {
  EndedContainer,
  EngineContainer,
  EngineConfig,
  EngineNetwork,
  EngineNode,
  EngineService,
  EngineServiceSpec,
  EngineTask,
} from '#server/drivers/hosting/docker/engine/engine-types.ts'

type Filters = Record<string, readonly string[]>
type NamedKind = 'configs' | 'secrets'

export interface EngineApi {
  listServices(filters: Filters): Promise<EngineService[]>
  /** By id or name. Returns null if there is no such service. */
  findService(id: string): Promise<EngineService | null>
  createService(spec: EngineServiceSpec, registry: RegistryLogin | null): Promise<string>
  updateService(service: EngineService, spec: EngineServiceSpec, registry: RegistryLogin | null): Promise<void>
  /** Does nothing if there is no such service. */
  removeService(id: string): Promise<void>
  listTasks(filters: Filters): Promise<EngineTask[]>
  listNodes(): Promise<EngineNode[]>
  /** Returns all nodes by their ids. */
  readNodes(): Promise<Map<string, EngineNode>>
  listConfigs(kind: NamedKind, filters: Filters): Promise<EngineConfig[]>
  findConfig(kind: NamedKind, name: string): Promise<EngineConfig | null>
  createConfig(kind: NamedKind, spec: { Name: string; Labels: Record<string, string>; Data: string }): Promise<string>
  updateConfigLabels(config: EngineConfig, labels: Record<string, string>): Promise<void>
  removeConfig(kind: NamedKind, id: string): Promise<void>
  listNetworks(filters: Filters): Promise<EngineNetwork[]>
  findNetwork(name: string): Promise<EngineNetwork | null>
  createNetwork(options: { Name: string; [option: string]: unknown }): Promise<void>
  removeNetwork(id: string): Promise<void>
  /** Returns the labels of the volume, or null if this machine does not have it. */
  findVolumeLabels(name: string): Promise<Record<string, string> | null>
  removeVolume(name: string): Promise<void>
  /** Returns null if this machine does not have the image. */
  findImage(name: string): Promise<EngineImage | null>
  /** Throws HostingError `no_image`. May take minutes. */
  pullImage(name: string, registry: RegistryLogin | null): Promise<void>
  /** Returns the id of this machine in the Swarm. */
  readNodeId(): Promise<string>
  /** Returns null if the container is not on this machine, or was removed. */
  findEndedContainer(id: string): Promise<EndedContainer | null>
  openEvents(filters: Filters, signal: AbortSignal): Promise<IncomingMessage>
}

export interface EngineImage {
  Id: string
  RepoDigests?: string[] | null
  Config?: { Healthcheck?: { Test?: string[] } | null } | null
}

/** Number of failed health checks after which the engine ends a task. */
export const healthRetries = 3
/** Time in s after the start of a task from which a failing health check ends it. */
export const startPeriodSeconds = 60
const pullMs = 10 * 60_000

export function createEngineApi(client: EngineClient): EngineApi {
  const list = async <T>(path: string, filters: Filters): Promise<T[]> => {
    const answer = await client.call<unknown>({ method: 'GET', path, query: { filters: JSON.stringify(filters) } })
    if (answer !== null && !Array.isArray(answer))
      throw new HostingError('unreachable', 'the Docker engine sent a malformed answer')
    return (answer ?? []) as T[]
  }
  const create = async (path: string, body: unknown, registry: RegistryLogin | null = null): Promise<string> =>
    (await client.call<{ ID: string }>({ method: 'POST', path: `${path}/create`, body, registry })).ID
  const find = async <T>(path: string): Promise<T | null> => {
    try {
      return await client.call<T>({ method: 'GET', path })
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }
  const remove = async (path: string, query: Record<string, string> = {}): Promise<void> => {
    try {
      await client.readText({ method: 'DELETE', path, query, timeoutMs: 30_000 })
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  const update = async (
    path: string,
    index: number,
    body: unknown,
    registry: RegistryLogin | null = null,
  ): Promise<void> => {
    const query = { version: String(index), ...(registry ? { registryAuthFrom: 'spec' } : {}) }
    await client.readText({ method: 'POST', path: `${path}/update`, query, body, registry })
  }

  return {
    listServices: (filters) => list('/services', filters),
    findService: (id) => find(`/services/${encodeURIComponent(id)}`),
    createService: (spec, registry) => create('/services', spec, registry),
    updateService: (service, spec, registry) =>
      update(`/services/${service.ID}`, service.Version.Index, spec, registry),
    removeService: (id) => remove(`/services/${id}`),
    listTasks: (filters) => list('/tasks', filters),
    listNodes: () => list('/nodes', {}),
    readNodes: async () => new Map((await list<EngineNode>('/nodes', {})).map((node) => [node.ID, node])),
    listConfigs: (kind, filters) => list(`/${kind}`, filters),
    findConfig: (kind, name) => find(`/${kind}/${encodeURIComponent(name)}`),
    createConfig: (kind, spec) => create(`/${kind}`, spec),
    updateConfigLabels: (config, labels) =>
      update(`/configs/${config.ID}`, config.Version.Index, { ...config.Spec, Labels: labels }),
    removeConfig: (kind, id) => remove(`/${kind}/${id}`),
    listNetworks: (filters) => list('/networks', filters),
    findNetwork: (name) => find(`/networks/${encodeURIComponent(name)}`),
    createNetwork: async (options) => void (await create('/networks', options)),
    removeNetwork: (id) => remove(`/networks/${id}`),
    findVolumeLabels: async (name) => {
      const volume = await find<{ Labels?: Record<string, string> | null }>(`/volumes/${encodeURIComponent(name)}`)
      return volume && (volume.Labels ?? {})
    },
    removeVolume: (name) => remove(`/volumes/${encodeURIComponent(name)}`),
    findImage: (name) => find(`/images/${name.split('/').map(encodeURIComponent).join('/')}/json`),
    pullImage: (name, registry) => pullImage(client, name, registry),
    readNodeId: async () => {
      const info = await client.call<{ Swarm?: { NodeID?: string } }>({ method: 'GET', path: '/info' })
      const nodeId = info.Swarm?.NodeID
      if (!nodeId)
        throw new HostingError(
          'unreachable',
          'this machine is not a manager of a Docker Swarm (see "docker swarm init")',
        )
      return nodeId
    },
    findEndedContainer: async (id) => {
      const container = await find<EngineContainer>(`/containers/${encodeURIComponent(id)}/json`)
      const { OOMKilled = false, Health } = container?.State ?? {}
      // The health of every container that has ended is "unhealthy".
      const isUnhealthy = (Health?.FailingStreak ?? 0) >= healthRetries
      return container && { isOutOfMemory: OOMKilled, isUnhealthy }
    },
    openEvents: (filters, signal) =>
      client.openStream({ method: 'GET', path: '/events', query: { filters: JSON.stringify(filters) } }, signal),
  }
}

async function pullImage(client: EngineClient, name: string, registry: RegistryLogin | null): Promise<void> {
  let progress: string
  try {
    progress = await client.readText({
      method: 'POST',
      path: '/images/create',
      // Without a tag the engine would get all tags of the image.
      query: { fromImage: name, ...(/[:@][^/]+$/.test(name) ? {} : { tag: 'latest' }) },
      registry,
      timeoutMs: pullMs,
    })
  } catch (cause) {
    if (cause instanceof HostingError && cause.fault === 'throttled') throw cause
    throw new HostingError('no_image', `could not get the image ${name}`, { cause })
  }
  // The engine has answered 200 before it knows whether it can get the image.
  const failure = /"error":\s*"((?:[^"\\]|\\.)*)"/.exec(progress)?.[1]
  if (failure !== undefined)
    throw new HostingError('no_image', `could not get the image ${name}: ${failure.slice(0, 300)}`)
}
