/** What the common tests of all hosting drivers share: the driver under test, its instances and packages. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type {
  HostingDriver,
  InstanceApp,
  InstanceConfig,
  InstanceRef,
  InstanceState,
} from '#server/drivers/hosting/hosting-driver.ts'
import type { ProgramBreak } from '#tests/support/hosting/program-breaks.ts'
import { type HostingUnderTest, waitUntil, waitUntilHealthy } from '#tests/support/hosting/hosting.ts'
import { packApp } from '#tests/support/uploads/packages.ts'

export const config: InstanceConfig = { memoryMb: 0, tasks: 1 }
export const spec = { name: 'Trading', config }
export const withFence = (fence: number) => ({ fence })

export const noPackage: InstanceApp = {
  code: 'old',
  name: 'Old',
  version: '3',
  module: 'base',
  flags: {},
  package: null,
}
export const createBreak = (kind: ProgramBreak): InstanceApp => ({ ...noPackage, code: kind })

export interface DriverFixture {
  readonly host: HostingUnderTest
  readonly driver: HostingDriver
  /** Folder of the packages. */
  packages: string
  createRef(): InstanceRef
  /** Starts a new instance, whose password is First-pass-1, with fence 1. */
  startInstance(ref: InstanceRef, overrides?: Partial<InstanceConfig>, apps?: InstanceApp[]): Promise<InstanceRef>
  createApp(facts?: Record<string, unknown>): Promise<InstanceApp>
  waitForHealth(ref: InstanceRef, count?: number): Promise<InstanceState>
  /** Waits until the state fits, as long as a change of this driver may take. */
  waitForState(
    ref: InstanceRef,
    description: string,
    isReached: (state: InstanceState) => boolean,
  ): Promise<InstanceState>
}

/** Call it in a `describe`. Opens the driver before the tests and ends it after them. */
export function useDriver(openHost: () => HostingUnderTest | Promise<HostingUnderTest>): DriverFixture {
  let host: HostingUnderTest
  const packages = mkdtempSync(join(tmpdir(), 'hosting-packages-'))
  beforeAll(async () => {
    host = await openHost()
  })
  afterAll(async () => {
    rmSync(packages, { recursive: true, force: true })
    await host?.end()
  })
  let lastServiceId = 0
  const fixture: DriverFixture = {
    get host() {
      return host
    },
    get driver() {
      return host.driver
    },
    packages,
    createRef: () => ({ serviceId: (lastServiceId += 1), code: `shop${lastServiceId}` }),
    async startInstance(ref, overrides = {}, apps = []) {
      const { driver } = host
      await driver.prepare(ref, { ...spec, config: { ...config, ...overrides } }, withFence(1))
      if (apps.length > 0) await driver.install(ref, apps, withFence(1))
      await driver.setPassword(ref, 'First-pass-1', withFence(1))
      await driver.start(ref, { fresh: false }, withFence(1))
      await fixture.waitForHealth(ref, overrides.tasks ?? 1)
      return ref
    },
    async createApp(facts = {}) {
      const bytes = await packApp({ facts })
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const path = join(packages, `${sha256}.mapp`)
      writeFileSync(path, bytes)
      const version = String(facts.version ?? '1.0')
      return { code: 'pay', name: 'Pay', version, module: 'crm', flags: { digits: 3 }, package: { path, sha256 } }
    },
    waitForHealth: (ref, count = 1) => waitUntilHealthy(host.driver, ref, count, host.traits.changeMs),
    async waitForState(ref, description, isReached) {
      let latestState: InstanceState | null = null
      try {
        return await waitUntil(
          `${description} of ${ref.code}`,
          async () => {
            latestState = await host.driver.look(ref)
            return latestState && isReached(latestState) ? latestState : null
          },
          host.traits.changeMs,
        )
      } catch (error) {
        throw new Error(`the last state was ${JSON.stringify(latestState)}`, { cause: error })
      }
    },
  }
  return fixture
}
