import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '#server/config/config.ts'
import type { HostingDriver } from '#server/drivers/hosting/hosting-driver.ts'
import { createLocalHosting } from '#server/drivers/hosting/local/local-hosting.ts'
import { canChangeUser, allowTraversal } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import { noHosting } from '#server/context/no-hosting.ts'

export interface HostingRuntime {
  driver: HostingDriver
  /** Stops the services of this machine. They start again with the next start of the server. */
  shutDown(): Promise<void>
}

/** Opens the configured hosting. No process starts until a service needs it. `program` is the path of the program that services run. */
export function openHosting(config: Config, log: Logger, program: string): HostingRuntime {
  if (config.hosting !== 'local') return { driver: noHosting, shutDown: async () => undefined }
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
    port: servicePort,
    tls: serviceTls,
    trustProxy,
    memoryMb: serviceMemoryMb,
    users: serviceUsers,
    log,
  })
  return { driver, shutDown: () => driver.shutDown() }
}

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
