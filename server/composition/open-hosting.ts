import { once } from 'node:events'
import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import type { Logger } from 'pino'
import { toFolderProblem } from '#server/config/folder-problem.ts'
import { type Config, StartProblem } from '#server/config/config.ts'
import type { DemoExtension } from '#server/composition/demo.ts'
import { openDockerHosting } from '#server/composition/docker/open-docker-hosting.ts'
import type { DockerSettings } from '#server/config/docker-config.ts'
import type { HostingApiSettings, HostingSettings } from '#server/config/hosting-config.ts'
import type { AppContext } from '#server/context/context.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { readHostingNodeUrl, storeHostingNodeUrl } from '#server/db/hosting/hosting-node.ts'
import type { NodeRole } from '#server/db/tables/node-tables.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { HostingDriver } from '#server/drivers/hosting/hosting-driver.ts'
import { createLocalHosting } from '#server/drivers/hosting/local/local-hosting.ts'
import { canChangeUser, allowTraversal } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import { type HostingApi, startHostingApi } from '#server/drivers/hosting/remote/hosting-api.ts'
import { createRemoteHosting } from '#server/drivers/hosting/remote/remote-hosting.ts'
import { deriveNodeKey } from '#server/drivers/hosting/remote/signatures.ts'

export interface HostingRuntime {
  driver: HostingDriver
  /**
   * Connects the nodes of a portal on PostgreSQL: the node that runs services answers the others, which find its address in the database.
   * Throws StartProblem if an address or port cannot be used. `driver.close` ends the connection.
   */
  connect(app: AppContext): Promise<void>
  /** Stops the services of this machine. They start again with the next start of the server. */
  shutDown(): Promise<void>
}

interface HostingOptions {
  settings: HostingSettings
  log: Logger
  /** Path of the program that services run on this machine. */
  program: string
  role: NodeRole
  demo: DemoExtension | null
}

/** Opens the configured hosting. No process starts until a service needs it. */
export function openHosting(config: Config, options: HostingOptions): HostingRuntime {
  if (config.hosting === 'local') {
    try {
      return openLocalHosting(config, options)
    } catch (error) {
      throw toFolderProblem(error, config.hostingDir)
    }
  }
  if (config.hosting === 'elsewhere') return openRemoteHosting(options.log)
  if (options.settings.docker) return openSwarmHosting(config, options, options.settings.docker)
  return { driver: noHosting, connect: async () => undefined, shutDown: async () => undefined }
}

function openSwarmHosting(config: Config, options: HostingOptions, docker: DockerSettings): HostingRuntime {
  const { serviceHost, unusedNames } = options.settings
  const hosting = openDockerHosting(config, {
    ...options,
    docker,
    serviceHost,
    unusedNames,
    importSampleImage: options.demo?.importSampleImage ?? null,
  })
  return {
    driver: hosting.driver,
    async connect(app) {
      if (docker.gateway.kind === 'own' && options.role === 'serve')
        await requireOwnAddress('SERVICE_HOST', serviceHost)
      await hosting.connect(app)
    },
    // The Swarm runs the services, so they continue.
    shutDown: async () => undefined,
  }
}

function openRemoteHosting(log: Logger): HostingRuntime {
  let connectedApp: AppContext | null = null
  const driver = createRemoteHosting({
    async findNode() {
      if (connectedApp === null) return null
      const url = await readAsSystem(connectedApp, readHostingNodeUrl)
      return url === null ? null : { url, key: deriveNodeKey(connectedApp.config.tokenKey) }
    },
    clock: () => connectedApp?.clock() ?? 0,
    log,
  })
  return {
    driver,
    async connect(app) {
      connectedApp = app
    },
    shutDown: async () => undefined,
  }
}

function openLocalHosting(config: Config, { settings, log, program }: HostingOptions): HostingRuntime {
  const { dataDir, hostingDir, serviceDomain, servicePort, serviceTls, serviceMemoryMb, serviceUsers, trustProxy } =
    config
  if (serviceTls && trustProxy === 0)
    log.warn(
      { event: 'service_proxy_untrusted' },
      'all users of hosted services share the address of the proxy: set TRUST_PROXY when SERVICE_TLS is 1',
    )
  if (serviceUsers === null || !canChangeUser())
    log.warn(
      { event: 'service_isolation_missing' },
      'hosted services run as the user of the portal and are not isolated from it or from each other',
    )
  else if (hostingDir.startsWith(join(dataDir, '/'))) openDataFolder(dataDir, hostingDir)
  const driver = createLocalHosting({
    program,
    folder: hostingDir,
    domain: serviceDomain,
    host: settings.serviceHost,
    port: servicePort,
    tls: serviceTls,
    trustProxy,
    memoryMb: serviceMemoryMb,
    users: serviceUsers,
    log,
  })
  let api: HostingApi | null = null
  return {
    driver: {
      ...driver,
      async close() {
        await Promise.all([driver.close(), api?.close()])
      },
    },
    async connect(app) {
      await requireOwnAddress('SERVICE_HOST', settings.serviceHost)
      if (app.database.engine === 'postgres') api = await openApi(app, driver, settings.api)
    },
    shutDown: () => driver.shutDown(),
  }
}

/** Answers other nodes from now on, and tells them where. */
async function openApi(app: AppContext, driver: HostingDriver, settings: HostingApiSettings): Promise<HostingApi> {
  const { host, port, url } = settings
  const api = await startHostingApi({
    driver,
    key: deriveNodeKey(app.config.tokenKey),
    clock: app.clock,
    host,
    port,
    log: app.log,
  }).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new StartProblem(
        `Port ${port} is in use: stop the program that uses it, or set HOSTING_API_PORT to another number.`,
      )
    if (code === 'EACCES')
      throw new StartProblem(`This user is not allowed to use port ${port}: set HOSTING_API_PORT to another number.`)
    throw toAddressProblem('HOSTING_API_HOST', host, error)
  })
  const ownUrl = url ?? `http://${host.includes(':') ? `[${host}]` : host}:${api.port}`
  await writeAsSystem(app, (db) => storeHostingNodeUrl(db, ownUrl)).catch(async (error: unknown) => {
    await api.close()
    throw error
  })
  return api
}

/** Throws StartProblem if this machine cannot listen on the address. The supervisor, which uses it later, could only retry. */
async function requireOwnAddress(name: 'SERVICE_HOST', host: string): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen(0, host), 'listening')
  } catch (error) {
    throw toAddressProblem(name, host, error)
  }
  await once(probe.close(), 'close')
}

const toAddressProblem = (name: 'SERVICE_HOST' | 'HOSTING_API_HOST', host: string, error: unknown) =>
  ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')
    ? new StartProblem(`${name} ${host} is not an address of this machine: set ${name} to one of its addresses.`)
    : error

/**
 * Lets the operating system users of services pass through the data folder to their own folders. All other entries of the folder are closed
 * to them. This runs at each start, because opening the database closes the whole folder to other users. A supervisor that is still running
 * does not open its folder again.
 */
function openDataFolder(dataDir: string, hostingDir: string): void {
  if (!existsSync(dataDir)) return
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name)
    const stats = lstatSync(path)
    const isOnHostingPath = join(hostingDir, '/').startsWith(join(path, '/'))
    if (!isOnHostingPath && (stats.isFile() || stats.isDirectory())) chmodSync(path, stats.mode & 0o700)
  }
  for (let path = hostingDir; path !== dataDir; path = dirname(path)) if (existsSync(path)) allowTraversal(path)
  allowTraversal(dataDir)
}
