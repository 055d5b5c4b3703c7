/** Tests that the driver says what is wrong, and recovers, after somebody has changed or removed objects of the Swarm by hand. */
import type Docker from 'dockerode'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { HostingDriver, InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { openDockerHosting } from '#tests/support/docker/docker-hosting.ts'
import { type DockerSite, openDockerSite } from '#tests/support/docker/docker-site.ts'
import { type HostingUnderTest, waitUntil } from '#tests/support/hosting/hosting.ts'

const spec = { name: 'Shop', config: { memoryMb: 0, tasks: 1 } }
const password = 'First-pass-1'
const startMs = 60_000
let site: DockerSite
let host: HostingUnderTest
let driver: HostingDriver
let docker: Docker

beforeAll(async () => {
  site = await openDockerSite({ storage: 'volume' })
  host = openDockerHosting(site)
  driver = host.driver
  docker = site.cluster.docker
}, 120_000)
afterAll(async () => {
  try {
    await host.end()
  } finally {
    await site.close()
  }
}, 60_000)

const getName = ({ serviceId }: InstanceRef) => `${site.prefix}-${serviceId}`

const waitForHealth = (ref: InstanceRef) =>
  waitUntil(
    `${ref.code} to be healthy`,
    async () => {
      const state = await driver.look(ref)
      return state?.healthy ? state : null
    },
    startMs,
  )

async function startService(serviceId: number): Promise<InstanceRef & { address: { url: string; adminUrl: string } }> {
  const ref = { serviceId, code: `shop${serviceId}` }
  const { address } = await driver.prepare(ref, spec, { fence: 1 })
  await driver.setPassword(ref, password, { fence: 1 })
  await driver.start(ref, { fresh: true }, { fence: 1 })
  await waitForHealth(ref)
  await driver.switchOver(ref, { fence: 1 })
  return { ...ref, address }
}

async function changeRecord(ref: InstanceRef, change: (text: string) => string): Promise<void> {
  const config = docker.getConfig(getName(ref))
  const { ID, Version, Spec } = (await config.inspect()) as unknown as {
    ID: string
    Version: { Index: number }
    Spec: { Labels: Record<string, string> }
  }
  const labels = { ...Spec.Labels, 'portal.record': change(Spec.Labels['portal.record'] ?? '') }
  await new Promise<void>((resolve, reject) =>
    docker.modem.dial(
      {
        path: `/configs/${ID}/update?`,
        method: 'POST',
        options: { _query: { version: String(Version.Index) }, _body: { ...Spec, Labels: labels } },
        statusCodes: { 200: true },
      },
      (error: unknown) => (error ? reject(error as Error) : resolve()),
    ),
  )
}

it('creates a removed record again, with the running tasks, and continues with later operations', {
  timeout: 180_000,
}, async () => {
  const { address, ...ref } = await startService(101)
  const before = await driver.look(ref)
  await docker.getConfig(getName(ref)).remove()
  expect(await driver.look(ref)).toBeNull()
  await driver.upkeep?.()
  const after = await driver.look(ref)
  expect(after).toMatchObject({ created: true, wanted: 'running', healthy: true, config: spec.config })
  expect(after?.tasks).toEqual(before?.tasks)
  await driver.start(ref, { fresh: true }, { fence: 2 })
  await waitUntil(
    'new tasks',
    async () => {
      const state = await driver.look(ref)
      return state?.deployment?.fence === 2 && state.deployment.healthyTasks === 1 ? state : null
    },
    startMs,
  )
  expect(await host.canSignIn(address, password)).toBe(true)
  // Also without an upkeep in between, and the password is not set again, because somebody may have worked in the data.
  await docker.getConfig(getName(ref)).remove()
  expect(await driver.prepare(ref, spec, { fence: 3 })).toMatchObject({ hadData: true })
  expect(await driver.look(ref)).toMatchObject({ created: true, wanted: 'running', healthy: true })
  await driver.erase(ref, { fence: 4 })
})

it('uses the data again if the record of a removed service is missing', { timeout: 300_000 }, async () => {
  const { address, ...ref } = await startService(102)
  await driver.remove(ref, { fence: 2 })
  await docker.getConfig(getName(ref)).remove()
  const otherRef = { ...ref, code: 'other102' }
  await expect(driver.prepare(otherRef, spec, { fence: 3 })).rejects.toThrow(
    /data of the service shop102.*docker volume rm/,
  )
  expect(await driver.prepare(ref, spec, { fence: 3 })).toMatchObject({ hadData: true })
  await driver.start(ref, { fresh: true }, { fence: 3 })
  await waitForHealth(ref)
  expect(await host.canSignIn(address, password)).toBe(true)
  await driver.erase(ref, { fence: 4 })
})

it('does not start a service with empty data instead of a removed volume', { timeout: 300_000 }, async () => {
  const { address, ...ref } = await startService(103)
  await driver.stop(ref, { fence: 2 })
  for (const name of [getName(ref), `${getName(ref)}-maintenance`])
    await docker
      .getService(name)
      .remove()
      .catch(() => undefined)
  await waitUntil(
    'the volume to be removed',
    () =>
      docker
        .getVolume(getName(ref))
        .remove()
        .then(
          () => true,
          () => null,
        ),
    startMs,
  )
  await expect(driver.start(ref, { fresh: false }, { fence: 3 })).rejects.toMatchObject({ fault: 'bad_data' })
  expect(await driver.look(ref)).toMatchObject({ wanted: 'stopped', tasks: [] })
  // The operator decides to begin with empty data.
  await driver.setPassword(ref, password, { fence: 4 })
  await driver.start(ref, { fresh: false }, { fence: 4 })
  await waitForHealth(ref)
  expect(await host.canSignIn(address, password)).toBe(true)
  await driver.erase(ref, { fence: 5 })
})

it('reports a changed record, and keeps the states of the other services', { timeout: 300_000 }, async () => {
  const { address: _, ...ref } = await startService(104)
  const { address: __, ...otherRef } = await startService(105)
  for (const change of [
    () => '{"format":1,"serviceId":104,"fence":1}',
    () => 'null',
    () => '{',
    (text: string) => text.replace('"serviceId":104', '"serviceId":105').replaceAll('shop104', 'shop105'),
  ]) {
    let original = ''
    await changeRecord(ref, (text) => {
      original = text
      return change(text)
    })
    const states = (await driver.lookAll()).filter(({ serviceId }) => serviceId === 104 || serviceId === 105)
    expect(states.map(({ serviceId, healthy }) => ({ serviceId, healthy }))).toEqual([
      { serviceId: 105, healthy: true },
    ])
    await expect(driver.start(ref, { fresh: true }, { fence: 2 })).rejects.toThrow(/docker config rm/)
    await driver.upkeep?.()
    await changeRecord(ref, () => original)
    expect(await driver.look(ref)).toMatchObject({ healthy: true })
  }
  await driver.erase(ref, { fence: 3 })
  await driver.erase(otherRef, { fence: 3 })
})

it('neither changes nor uses a Swarm service of somebody else with the name of one of its own', {
  timeout: 120_000,
}, async () => {
  const ref = { serviceId: 106, code: 'shop106' }
  const foreign = await docker.createService({
    Name: getName(ref),
    TaskTemplate: { ContainerSpec: { Image: site.image } },
    Mode: { Replicated: { Replicas: 0 } },
  } as Docker.CreateServiceOptions)
  await expect(driver.prepare(ref, spec, { fence: 1 })).rejects.toThrow(/does not belong to this portal/)
  await docker.getService(foreign.id).remove()
  await driver.prepare(ref, spec, { fence: 2 })
  await driver.erase(ref, { fence: 3 })
})

it('creates removed networks, secrets and Swarm services again', { timeout: 300_000 }, async () => {
  const { address, ...ref } = await startService(107)
  await docker.getService(getName(ref)).remove()
  await driver.upkeep?.()
  await waitForHealth(ref)
  await driver.stop(ref, { fence: 2 })
  await docker.getService(getName(ref)).remove()
  await waitUntil(
    'the network to be removed',
    async () => {
      // The maintenance task that set the password uses the network for a minute.
      await driver.upkeep?.()
      return await docker
        .getNetwork(getName(ref))
        .remove()
        .then(
          () => true,
          () => null,
        )
    },
    2 * startMs,
  )
  for (const { ID: id, Spec } of await docker.listSecrets())
    if (Spec?.Name?.startsWith(`${getName(ref)}-`)) await docker.getSecret(id).remove()
  await driver.start(ref, { fresh: false }, { fence: 3 })
  await waitForHealth(ref)
  expect(await host.canSignIn(address, password)).toBe(true)
  await driver.erase(ref, { fence: 4 })
})
