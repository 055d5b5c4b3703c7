/** Which driver runs the hosted services, by the configuration. */
import type { Logger } from 'pino'
import type { Config } from '#server/config.ts'
import type { HostingDriver } from '#server/drivers/hosting/driver.ts'
import { createLocalHosting } from '#server/drivers/hosting/local/driver.ts'
import { noHosting } from '#server/no-hosting.ts'

export interface Hosting {
  driver: HostingDriver
  /** Ends what runs on this machine; it begins again with the next start. */
  shutDown(): Promise<void>
}

/** Nothing runs yet, and no process is started, until a service needs it. */
export function openHosting(config: Config, log: Logger): Hosting {
  if (config.hosting !== 'local') return { driver: noHosting, shutDown: async () => undefined }
  const { hostingDir, serviceDomain, servicePort, serviceTls, serviceMemoryMb, trustProxy } = config
  if (serviceTls && trustProxy === 0)
    log.warn('SERVICE_TLS is 1 and TRUST_PROXY is 0: all users of hosted services count as one address, the proxy')
  const driver = createLocalHosting({
    folder: hostingDir,
    domain: serviceDomain,
    port: servicePort,
    tls: serviceTls,
    trustProxy,
    memoryMb: serviceMemoryMb,
    log,
  })
  return { driver, shutDown: () => driver.shutDown() }
}
