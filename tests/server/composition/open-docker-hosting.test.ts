import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { readInstallationId } from '#server/composition/docker/installation-id.ts'
import { deriveServiceKey } from '#server/composition/docker/open-docker-hosting.ts'
import { openHosting } from '#server/composition/open-hosting.ts'
import { readHostingSettings } from '#server/config/hosting-config.ts'
import { createLogger } from '#server/context/log.ts'
import type { Database } from '#server/db/database.ts'
import { ownerLabel } from '#server/drivers/hosting/docker/owner.ts'
import { deriveNodeKey } from '#server/drivers/hosting/remote/signatures.ts'
import { startSwarmDaemon, type SwarmDaemon } from '#tests/server/drivers/hosting/docker/swarm-daemon.ts'
import { sampleProgram } from '#tests/support/hosting/hosting.ts'
import { openTestDatabase, testConfig, testContext } from '#tests/support/server/database.ts'
import { createLineSink } from '#tests/support/server/server.ts'

let database: Database
const folder = mkdtempSync(join(tmpdir(), 'docker-hosting-'))
/** Differs in each test: a kept connection to the daemon of an earlier test would be reset. */
let socketPath: string
let socketCount = 0
const daemons: SwarmDaemon[] = []
beforeAll(async () => {
  database = await openTestDatabase('embedded')
})
beforeEach(() => {
  socketPath = join(folder, `docker-${++socketCount}.sock`)
})
afterEach(async () => {
  await Promise.all(daemons.splice(0).map((daemon) => daemon.close()))
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

async function startDaemon(): Promise<SwarmDaemon> {
  const daemon = await startSwarmDaemon(socketPath)
  daemons.push(daemon)
  return daemon
}

function openDocker(env: Record<string, string> = {}) {
  const allEnv = { HOSTING: 'docker', SERVICE_IMAGE: 'erp:1', DOCKER_HOST: `unix://${socketPath}`, ...env }
  const config = testConfig(allEnv)
  const lines: string[] = []
  const log = createLogger('info', createLineSink(lines))
  const settings = readHostingSettings({ DEMO: '0', ...allEnv }, config)
  const hosting = openHosting(config, { settings, log, program: sampleProgram, role: 'worker', demo: null })
  const app = { ...testContext(database), config, log, hosting: hosting.driver }
  const readEvents = () =>
    lines.map((line) => JSON.parse(line) as { event: string; reason?: string; settings?: string[] })
  return { ...hosting, app, readEvents }
}

it('starts without a daemon, names the reason once, and finds the Swarm when the daemon runs', async () => {
  const { driver, connect, app, readEvents } = openDocker()
  await connect(app)
  const reason = expect.stringMatching(/^Docker does not answer at unix:.*ENOENT.*: start the daemon/)
  expect(readEvents()).toMatchObject([{ event: 'docker_unavailable', reason }])
  await expect(driver.lookAll()).rejects.toMatchObject({ name: 'HostingError', fault: 'unreachable', message: reason })
  const daemon = await startDaemon()
  await vi.waitFor(() => expect(daemon.configs.size).toBe(1), { timeout: 10_000, interval: 50 })
  expect(daemon.configs.get('portal-owner')?.Labels).toEqual({ [ownerLabel]: await readInstallationId(app) })
  await driver.close()
  expect(readEvents().filter(({ event }) => event === 'docker_unavailable').length).toBeLessThanOrEqual(2)
})

it('warns once if the engine does not limit the privileges of tasks', async () => {
  const daemon = await startDaemon()
  const oldDocker = openDocker()
  await oldDocker.connect(oldDocker.app)
  await oldDocker.driver.close()
  const countWarnings = (events: { event: string }[]) =>
    events.filter(({ event }) => event === 'docker_privileges_unlimited').length
  expect(countWarnings(oldDocker.readEvents())).toBe(1)
  daemon.engine.ServerVersion = '28.2.2'
  const newDocker = openDocker()
  await newDocker.connect(newDocker.app)
  await newDocker.driver.close()
  expect(countWarnings(newDocker.readEvents())).toBe(0)
})

it("refuses to touch another portal's services, and the portal starts", async () => {
  const daemon = await startDaemon()
  daemon.configs.set('portal-owner', { Name: 'portal-owner', Labels: { [ownerLabel]: 'another portal' }, Data: 'eA==' })
  const { driver, connect, app, readEvents } = openDocker()
  await connect(app)
  const reason =
    'The Swarm already has the services of another portal under the name portal: set DOCKER_PREFIX to another name, ' +
    'or remove them if that portal is gone (docs/operating.md, "Two portals").'
  expect(readEvents()).toMatchObject([{ event: 'docker_owner_differs', reason }])
  await expect(driver.erase({ serviceId: 1, code: 'alpha1' }, { fence: 1 })).rejects.toMatchObject({
    fault: 'unreachable',
    message: reason,
  })
  await driver.close()
})

it('warns about settings without effect and about a connection that is not encrypted', async () => {
  const { driver, readEvents } = openDocker({
    DOCKER_HOST: 'tcp://10.0.0.5',
    SERVICE_TLS: '1',
    // Asks for nothing, so it is not named.
    SERVICE_USERS: 'off',
    SERVICE_MEMORY_MB: '3000',
  })
  expect(readEvents()).toMatchObject([
    { event: 'service_proxy_untrusted' },
    { event: 'docker_connection_unprotected' },
    { event: 'service_settings_unused', settings: ['SERVICE_MEMORY_MB'] },
  ])
  await driver.close()
})

it('the id of the database is created once, and the key of services has a purpose of its own', async () => {
  const app = testContext(database)
  const ids = await Promise.all([readInstallationId(app), readInstallationId(app), readInstallationId(app)])
  expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(new Set(ids).size).toBe(1)
  const key = deriveServiceKey(app.config.tokenKey)
  expect(key).toHaveLength(32)
  expect(key).toEqual(deriveServiceKey(app.config.tokenKey))
  expect([app.config.tokenKey, deriveNodeKey(app.config.tokenKey)].some((other) => key.equals(other))).toBe(false)
})
