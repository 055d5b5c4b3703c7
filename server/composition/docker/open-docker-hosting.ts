/** Opens the hosting in a Docker Swarm (`HOSTING=docker`). Everything that needs Docker is loaded only here, because it takes long. */
import { hkdfSync } from 'node:crypto'
import { join } from 'node:path'
import type Docker from 'dockerode'
import type { Logger } from 'pino'
import { readInstallationId } from '#server/composition/docker/installation-id.ts'
import { type Config, isLoopback, StartProblem } from '#server/config/config.ts'
import type { DockerSettings } from '#server/config/docker-config.ts'
import type { AppContext } from '#server/context/context.ts'
import type { NodeRole } from '#server/db/tables/node-tables.ts'
import type { DockerGateway } from '#server/drivers/hosting/docker/gateway/docker-gateway.ts'
import { createLateHosting } from '#server/drivers/hosting/docker/late-hosting.ts'
import { claimSwarm, SwarmError } from '#server/drivers/hosting/docker/owner.ts'
import type { HostingDriver } from '#server/drivers/hosting/hosting-driver.ts'

export interface DockerHostingOptions {
  docker: DockerSettings
  serviceHost: string
  /** Names of settings without effect. */
  unusedNames: readonly string[]
  role: NodeRole
  /** Makes the image of the sample instance and returns its name. Null outside the demo. */
  importSampleImage: ((docker: Docker) => Promise<string>) | null
  log: Logger
}

export interface DockerHostingRuntime {
  driver: HostingDriver
  connect(app: AppContext): Promise<void>
}

/** Returns the key of 32 bytes from which the control tokens and database passwords of services are derived. */
export const deriveServiceKey = (tokenKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', tokenKey, '', 'hosted services in a swarm', 32))

export function openDockerHosting(config: Config, options: DockerHostingOptions): DockerHostingRuntime {
  const { docker, log } = options
  warnAboutSettings(config, options)
  let connectedApp: AppContext | null = null
  const lateHosting = createLateHosting({
    name: 'docker',
    async open() {
      if (connectedApp === null) throw new Error('the portal is starting')
      return await openDriver(connectedApp, options)
    },
    onAttempt: createAttemptLog(docker, log),
  })
  return {
    driver: lateHosting.driver,
    async connect(app) {
      connectedApp = app
      await lateHosting.start()
    },
  }
}

function warnAboutSettings(
  { serviceTls, trustProxy }: Pick<Config, 'serviceTls' | 'trustProxy'>,
  { docker: { connection, address, gateway }, unusedNames, log }: DockerHostingOptions,
): void {
  if (serviceTls && trustProxy === 0 && gateway.kind === 'own')
    log.warn(
      { event: 'service_proxy_untrusted' },
      'all users of hosted services share the address of the proxy: set TRUST_PROXY when SERVICE_TLS is 1',
    )
  if ('protocol' in connection && connection.protocol === 'http' && !isLoopback(connection.host))
    log.warn(
      { event: 'docker_connection_unprotected', address },
      'the connection to docker is not encrypted, and everybody who reaches its port controls that machine',
    )
  if (unusedNames.length > 0)
    log.warn(
      { event: 'service_settings_unused', settings: unusedNames },
      'these settings have no effect with HOSTING=docker',
    )
}

/** Logs the reason once, not at each attempt. */
function createAttemptLog({ address }: DockerSettings, log: Logger): (error: unknown) => void {
  let loggedReason: string | null = null
  return (error) => {
    if (error === null) {
      if (loggedReason !== null) log.info({ event: 'docker_available', address }, 'docker is available again')
      loggedReason = null
      return
    }
    const reason = error instanceof Error ? error.message : String(error)
    if (reason === loggedReason) return
    loggedReason = reason
    if (error instanceof SwarmError && error.fault === 'other_owner')
      log.error(
        { event: 'docker_owner_differs', reason, address },
        'this portal does not use the swarm, because the services under its name belong to another portal',
      )
    else
      log.error(
        { event: 'docker_unavailable', reason, address, err: error },
        'this node cannot use docker, so hosted services are not available here: it tries again',
      )
  }
}

/** Throws SwarmError if the Swarm cannot be used now. */
async function openDriver(app: AppContext, options: DockerHostingOptions): Promise<HostingDriver> {
  const { docker: settings, importSampleImage } = options
  const { connection, address, prefix } = settings
  const { default: DockerClient } = await import('dockerode')
  const client = new DockerClient(connection)
  const { limitsPrivileges } = await claimSwarm({
    docker: client,
    address,
    prefix,
    installationId: await readInstallationId(app),
  })
  if (!limitsPrivileges)
    app.log.warn(
      { event: 'docker_privileges_unlimited', address },
      'docker before 25.0 ignores no-new-privileges of a service: set it for the daemon of each machine',
    )
  const { createDockerHosting } = await import('#server/drivers/hosting/docker/docker-hosting.ts')
  const image = settings.image ?? (await importImage(client, importSampleImage))
  const gateway = await openGateway(app, options)
  try {
    return createDockerHosting({
      connection,
      prefix,
      image,
      registry: settings.registry,
      key: deriveServiceKey(app.config.tokenKey),
      storage: settings.databaseUrl === null ? { kind: 'volume' } : { kind: 'database', url: settings.databaseUrl },
      memorySizes: settings.memorySizes,
      nodeAddress: settings.nodeAddress,
      healthSeconds: settings.healthSeconds,
      gateway,
      files: app.files,
      clock: app.clock,
      log: app.log,
    })
  } catch (error) {
    await gateway.close()
    throw error
  }
}

/** Only the demo starts without an image, see `readDockerSettings`. */
async function importImage(
  docker: Docker,
  importSampleImage: DockerHostingOptions['importSampleImage'],
): Promise<string> {
  if (importSampleImage === null) throw new StartProblem('HOSTING=docker needs SERVICE_IMAGE.')
  return await importSampleImage(docker)
}

async function openGateway(
  { config, log }: AppContext,
  { docker: { gateway }, serviceHost: host, role }: DockerHostingOptions,
): Promise<DockerGateway> {
  const { createTraefikGateway, openOwnGateway } = await import(
    '#server/drivers/hosting/docker/gateway/docker-gateway.ts'
  )
  const { serviceDomain: domain, servicePort: port, serviceTls: tls, trustProxy, dataDir } = config
  // A port of 0 means that addresses have no port.
  const traefik = { domain, tls, ...(port === 0 || tls ? {} : { port }) }
  if (gateway.kind === 'traefik') {
    const { network, entryPoint, certResolver } = gateway
    return createTraefikGateway({
      ...traefik,
      network,
      ...(entryPoint === null ? {} : { entryPoint }),
      ...(certResolver === null ? {} : { certResolver }),
    })
  }
  // A worker serves nobody and needs only the addresses.
  if (role === 'worker')
    return {
      ...createTraefikGateway({ ...traefik, network: '' }),
      getServiceOptions: () => ({ labels: {}, networks: [] }),
    }
  return openOwnGateway({ domain, host, port, tls, trustProxy, folder: join(dataDir, 'gateway'), log })
}
