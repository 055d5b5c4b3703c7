/** Gives the services of the Swarm their addresses: by our own gateway, in a process beside the portal, or by Traefik. */
import type { Logger } from 'pino'
import type { ServiceRoute } from '#server/drivers/hosting/docker/gateway/gateway-messages.ts'
import { GatewaySupervisor } from '#server/drivers/hosting/docker/gateway/gateway-supervisor.ts'
import { buildTraefikLabels, type TraefikSettings } from '#server/drivers/hosting/docker/gateway/traefik-labels.ts'
import type { GatewayLimits } from '#server/drivers/hosting/gateway/gateway.ts'
import type { InstanceAddress } from '#server/drivers/hosting/hosting-driver.ts'

export type { ServiceRoute } from '#server/drivers/hosting/docker/gateway/gateway-messages.ts'

export interface DockerGateway {
  getAddress(code: string): InstanceAddress
  /** Labels and networks for the Swarm service (Traefik); empty for the own gateway. `port` is that of the tasks. */
  getServiceOptions(code: string, port: number): { labels: Record<string, string>; networks: readonly string[] }
  /** Replaces all routes. Can be called often: the gateway is notified only of changes. */
  setRoutes(routes: readonly ServiceRoute[]): void
  close(): Promise<void>
}

export interface OwnGatewayOptions {
  domain: string
  /** Address on which the gateway listens. */
  host: string
  /** Port of the gateway; 0 chooses a port, preferably the previous one. Several nodes need the same configured port. */
  port: number
  /** Number of proxies in front of the gateway whose X-Forwarded-For is trusted. */
  trustProxy: number
  /** True if a proxy in front of the gateway terminates TLS. */
  tls: boolean
  /** Folder in which a chosen port is remembered. */
  folder?: string
  limits?: Partial<GatewayLimits>
  /** Time in ms for which running requests may continue after `close`. */
  drainMs?: number
  /** Time in ms after which a port in use is tried again. */
  retryMs?: number
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

/** Starts the process of the gateway. Addresses are known at once, before it listens. */
export function openOwnGateway({
  folder,
  log,
  limits = {},
  drainMs = 5000,
  ...settings
}: OwnGatewayOptions): DockerGateway {
  const { domain, tls } = settings
  const supervisor = new GatewaySupervisor({ settings: { ...settings, limits, drainMs }, folder: folder ?? null, log })
  return {
    getAddress: (code) => buildAddress(code, domain, tls, tls ? null : supervisor.getPort()),
    getServiceOptions: () => ({ labels: {}, networks: [] }),
    setRoutes: (routes) => supervisor.setRoutes(routes),
    close: () => supervisor.close(),
  }
}

export interface TraefikGatewayOptions extends Omit<TraefikSettings, 'entryPoint' | 'certResolver'> {
  entryPoint?: string
  certResolver?: string
  /** Port of the entry point in addresses. By default that of the protocol. */
  port?: number
}

/** Traefik reads the labels of the Swarm services itself, so there is no process, and routes are not needed. */
export function createTraefikGateway({
  port,
  entryPoint,
  certResolver,
  ...settings
}: TraefikGatewayOptions): DockerGateway {
  const { domain, tls, network } = settings
  const labelSettings = { ...settings, entryPoint: entryPoint ?? null, certResolver: certResolver ?? null }
  return {
    getAddress: (code) => buildAddress(code, domain, tls, port ?? null),
    getServiceOptions: (code, taskPort) => ({
      labels: buildTraefikLabels(labelSettings, code, taskPort),
      networks: [network],
    }),
    setRoutes: () => undefined,
    close: () => Promise.resolve(),
  }
}

function buildAddress(code: string, domain: string, isSecure: boolean, port: number | null): InstanceAddress {
  const toUrl = (name: string) =>
    `${isSecure ? 'https' : 'http'}://${name}.${code}.${domain}${port === null ? '' : `:${port}`}/`
  return { url: toUrl('www'), adminUrl: toUrl('admin') }
}
