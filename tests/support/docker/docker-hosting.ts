/** Opens the docker driver for the common tests of all drivers, without a portal. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createFolderStore } from '#server/drivers/file-store/folder-store.ts'
import { createDockerHosting } from '#server/drivers/hosting/docker/docker-hosting.ts'
import { openOwnGateway } from '#server/drivers/hosting/docker/gateway/docker-gateway.ts'
import type { HostingDriver } from '#server/drivers/hosting/hosting-driver.ts'
import type { DockerSite } from '#tests/support/docker/docker-site.ts'
import { removeDockerObjects } from '#tests/support/docker/docker-cluster.ts'
import { type HostingUnderTest, instanceClient } from '#tests/support/hosting/hosting.ts'

interface DockerOptions {
  memorySizes?: readonly number[] | null
  /** Key of the installation. */
  key?: Buffer
  healthSeconds?: number
}

/** Limit in MB if the platform decides. */
const platformMb = 256

/** `end` leaves the site open. `close` also leaves the services. */
export function openDockerHosting(
  site: DockerSite,
  { memorySizes = null, key = randomBytes(32), healthSeconds = 1 }: DockerOptions = {},
): HostingUnderTest & { close(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'docker-hosting-'))
  const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })
  const gateway = openOwnGateway({
    domain: 'localhost',
    host: '127.0.0.1',
    port: 0,
    tls: false,
    trustProxy: 0,
    log,
  })
  const openDriver = (image: string): HostingDriver =>
    createDockerHosting({
      connection: { socketPath: site.cluster.socket },
      prefix: site.prefix,
      image,
      registry: null,
      key,
      storage:
        site.databaseUrl === null ? { kind: 'volume' } : { kind: 'database', url: `${site.databaseUrl}/postgres` },
      memorySizes,
      nodeAddress: null,
      healthSeconds,
      // The drivers share it, so that all of them give a service the same address.
      gateway: { ...gateway, close: async () => undefined },
      files: createFolderStore({ folder, hasRoom: async () => true }),
      clock: Date.now,
      log,
    })
  const driver = openDriver(site.image)
  async function close(): Promise<void> {
    await driver.close()
    await gateway.close()
  }
  return {
    driver,
    traits: {
      getLimitMb: (requestedMb) => {
        const neededMb = requestedMb || platformMb
        return memorySizes?.find((size) => size >= neededMb) ?? neededMb
      },
      changeMs: 120_000,
      logDelayMs: 20_000,
    },
    openWithoutImage: () => openDriver('portal-campaign/no-such-image:1'),
    ...instanceClient,
    close,
    async end() {
      await close()
      await removeDockerObjects(site.cluster, site.prefix)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
